//go:build !openssl

package builtin

import "github.com/sealburst/sealburst/ciphers"

// evp lists the backend on OpenSSL: none without the tag openssl.
func evp() []*ciphers.Backend { return nil }
