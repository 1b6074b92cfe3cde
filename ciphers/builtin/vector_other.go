//go:build !amd64 || purego

package builtin

import "github.com/sealburst/sealburst/ciphers"

// vector lists the backends of Sealburst's own kernels: none on this processor.
func vector() []*ciphers.Backend { return nil }
