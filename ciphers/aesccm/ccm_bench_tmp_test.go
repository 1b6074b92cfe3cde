package aesccm

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
)

func BenchmarkX(b *testing.B) {
	key := make([]byte, 16)
	blk, _ := aes.NewCipher(key)
	p, _ := ccm.NewCCM(blk, 16, 12)
	our := &mode{blk, 12, 16}
	for _, size := range []int{64, 256, 1450, 8192} {
		for name, a := range map[string]cipher.AEAD{"pion": p, "our": our} {
			buf := make([]byte, size+16)
			nonce := make([]byte, 12)
			aad := make([]byte, 20)
			b.Run(fmt.Sprintf("seal/%s/%d", name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a.Seal(buf[:0], nonce, buf[:size], aad)
				}
			})
			sealed := a.Seal(nil, nonce, buf[:size], aad)
			b.Run(fmt.Sprintf("open/%s/%d", name, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a.Open(buf[:0], nonce, sealed, aad)
				}
			})
		}
	}
}
