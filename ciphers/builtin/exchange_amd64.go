//go:build amd64 && !purego

package builtin

import "github.com/sealburst/sealburst/ciphers"

const circlPriority = 1

// exchanges are the backends beside std that exchange keys.
func exchanges() []*ciphers.Backend { return []*ciphers.Backend{ifma(), circl()} }
