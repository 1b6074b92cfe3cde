//go:build !ipsecmb

package builtin

import "github.com/sealburst/sealburst/ciphers"

// intel lists the backend on Intel's library: none without the tag ipsecmb.
func intel() []*ciphers.Backend { return nil }
