package builtin

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cbchmac"
)

// withPairs adds to a backend's AEADs the portable tier of every algorithm of
// ciphers.EncryptThenMAC.
func withPairs(aeads map[ciphers.Algorithm]ciphers.AEAD) map[ciphers.Algorithm]ciphers.AEAD {
	for _, alg := range ciphers.Algorithms() {
		if alg.Integrity() != 0 {
			aeads[alg] = cbchmac.Std()
		}
	}
	return aeads
}
