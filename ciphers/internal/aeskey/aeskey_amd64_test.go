//go:build !purego

package aeskey

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// TestExpand has the keys of FIPS 197 appendix A: the first words that follow the
// key, and the last round key.
func TestExpand(t *testing.T) {
	cipherstest.NeedCPU(t, cpu.AESNI|cpu.AVX)
	for _, test := range []struct{ key, next, last string }{
		{"2b7e151628aed2a6abf7158809cf4f3c", "a0fafe1788542cb123a339392a6c7605", "d014f9a8c9ee2589e13f0cc8b6630ca6"},
		{"8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b", "fe0c91f72402f5a5ec12068e6c827f6b", "e98ba06f448c773c8ecc720401002202"},
		{"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "9ba354118e6925afa51a8b5f2067fcde", "fe4890d1e6188d0b046df344706c631e"},
	} {
		key := unhex(t, test.key)
		w := make([]byte, Size(len(key)))
		Expand(w, key)
		want := append(bytes.Clone(key), unhex(t, test.next)...)
		if !bytes.HasPrefix(w, want) || !bytes.HasSuffix(w, unhex(t, test.last)) {
			t.Errorf("key of %d bytes expands to %x", len(key), w)
		}
	}
}

func TestSizes(t *testing.T) {
	for keySize, rounds := range map[int]int{16: 10, 24: 12, 32: 14} {
		if Rounds(keySize) != rounds || Size(keySize) != 16*(rounds+1) {
			t.Errorf("key of %d bytes: %d rounds, %d bytes", keySize, Rounds(keySize), Size(keySize))
		}
	}
}

func unhex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
