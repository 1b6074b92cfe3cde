//go:build !amd64 || purego

package builtin

import "github.com/sealburst/sealburst/ciphers"

// circlPriority puts circl behind the standard library where its assembly is not.
const circlPriority = -1

// exchanges are the backends of key exchange beside std.
func exchanges() []*ciphers.Backend { return []*ciphers.Backend{circl()} }
