//go:build ipsecmb

package builtin

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/ipsecmb"
)

// intel lists the backend on Intel's library.
func intel() []*ciphers.Backend { return []*ciphers.Backend{ipsecmb.Backend()} }
