package builtin

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/aesccm"
	"github.com/sealburst/sealburst/ciphers/aesgcm"
	"github.com/sealburst/sealburst/ciphers/chachapoly"
	"github.com/sealburst/sealburst/ciphers/hpmask"
)

// std is the portable backend: the standard library, golang.org/x/crypto and our
// own modes over crypto/aes, one call a packet. It serves every algorithm on
// every platform.
func std() *ciphers.Backend {
	return &ciphers.Backend{
		Name: "std",
		AEADs: withPairs(map[ciphers.Algorithm]ciphers.AEAD{
			ciphers.AES128GCM:        aesgcm.Std(),
			ciphers.AES192GCM:        aesgcm.Std(),
			ciphers.AES256GCM:        aesgcm.Std(),
			ciphers.AES128CCM:        aesccm.Std(),
			ciphers.AES256CCM:        aesccm.Std(),
			ciphers.ChaCha20Poly1305: chachapoly.Std(),
		}),
		Masks: map[ciphers.Algorithm]ciphers.Masker{
			ciphers.MaskAES128:   hpmask.AES(),
			ciphers.MaskAES256:   hpmask.AES(),
			ciphers.MaskChaCha20: hpmask.ChaCha20(),
		},
		Exchanges: stdExchanges(),
	}
}
