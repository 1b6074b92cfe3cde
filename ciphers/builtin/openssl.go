//go:build openssl

package builtin

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/openssl"
)

// evp lists the backend on OpenSSL.
func evp() []*ciphers.Backend { return []*ciphers.Backend{openssl.Backend()} }
