//go:build !purego

package aesgcm

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cpu"
)

// TestKeyExpansion has the last round keys of FIPS 197 appendix A.
func TestKeyExpansion(t *testing.T) {
	if missing := cpu.Detect().Missing(RequiresVAES256); missing != 0 {
		t.Skipf("this processor lacks %v", missing)
	}
	for _, test := range []struct{ key, last string }{
		{"2b7e151628aed2a6abf7158809cf4f3c", "d014f9a8c9ee2589e13f0cc8b6630ca6"},
		{"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "fe4890d1e6188d0b046df344706c631e"},
	} {
		key, last := unhex(t, test.key), unhex(t, test.last)
		w := make([]byte, 16*(rounds(len(key))+1))
		expandRounds(w, key)
		if !bytes.Equal(w[:len(key)], key) || !bytes.Equal(w[len(w)-16:], last) {
			t.Errorf("key of %d bytes expands to %x", len(key), w)
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
