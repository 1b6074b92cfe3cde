package aesccm

import (
	"crypto/cipher"
	"fmt"
	"testing"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
)

func BenchmarkMode(b *testing.B) {
	ours := newMode(b, make([]byte, 16), 12, 16)
	pion, err := ccm.NewCCM(ours.block, 16, 12)
	if err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{64, 256, 1350, 1450, 8192} {
		b.Run(fmt.Sprintf("ours/seal/%d", size), func(b *testing.B) { benchSeal(b, ours, size) })
		b.Run(fmt.Sprintf("pion/seal/%d", size), func(b *testing.B) { benchSeal(b, pion, size) })
		b.Run(fmt.Sprintf("ours/open/%d", size), func(b *testing.B) { benchOpen(b, ours, size) })
		b.Run(fmt.Sprintf("pion/open/%d", size), func(b *testing.B) { benchOpen(b, pion, size) })
	}
}

func benchSeal(b *testing.B, mode cipher.AEAD, size int) {
	buf, nonce, aad := make([]byte, size+16), make([]byte, 12), make([]byte, 20)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		mode.Seal(buf[:0], nonce, buf[:size], aad)
	}
}

func benchOpen(b *testing.B, mode cipher.AEAD, size int) {
	nonce, aad := make([]byte, 12), make([]byte, 20)
	sealed, plaintext := mode.Seal(nil, nonce, make([]byte, size), aad), make([]byte, size)
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := mode.Open(plaintext[:0], nonce, sealed, aad); err != nil {
			b.Fatal(err)
		}
	}
}
