//go:build amd64 && !purego

package hpmask

import (
	"encoding/hex"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/internal/aeskey"
)

// TestExpandedKeys holds the layout of schedules, on which kernels outside this
// package rely, against the first and last round keys of FIPS 197 appendix A.
func TestExpandedKeys(t *testing.T) {
	cipherstest.NeedCPU(t, RequiresVAES512&RequiresVAES256)
	for _, v := range []struct{ key, second, last string }{
		{"2b7e151628aed2a6abf7158809cf4f3c", "a0fafe1788542cb123a339392a6c7605", "d014f9a8c9ee2589e13f0cc8b6630ca6"},
		{"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", "1f352c073b6108d72d9810a30914dff4", "fe4890d1e6188d0b046df344706c631e"},
	} {
		key, err := hex.DecodeString(v.key)
		if err != nil {
			t.Fatal(err)
		}
		schedule := make([]byte, 16*(len(key)/4+7))
		aeskey.Expand(schedule, key)
		if got := hex.EncodeToString(schedule[:len(key)]); got != v.key {
			t.Errorf("starts %s, want the key %s", got, v.key)
		}
		if got := hex.EncodeToString(schedule[16:32]); got != v.second {
			t.Errorf("round key 1 is %s, want %s", got, v.second)
		}
		if got := hex.EncodeToString(schedule[len(schedule)-16:]); got != v.last {
			t.Errorf("the last round key is %s, want %s", got, v.last)
		}
	}
}

// TestExpandedKeysEncrypt expands random keys, so that every entry of the S-box
// is used, and encrypts under them as crypto/aes does.
func TestExpandedKeysEncrypt(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		for range 100 {
			compare(t, tier, newScene(t, tier, 16, ownKey))
		}
	})
}
