package cipherstest

import (
	"bytes"
	"crypto/aes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// TestOracleSP80038CExample4 holds the step-by-step CCM against the one
// published vector with associated data of 65536 bytes. Its tag has 14 bytes.
func TestOracleSP80038CExample4(t *testing.T) {
	block, err := aes.NewCipher(unhex(t, counting(0x40, 0x4f)))
	if err != nil {
		t.Fatal(err)
	}
	oracle, err := newOracleCCM(block, 13, 14)
	if err != nil {
		t.Fatal(err)
	}
	aad := make([]byte, 1<<16)
	for i := range aad {
		aad[i] = byte(i)
	}
	got := oracle.Seal(nil, unhex(t, counting(0x10, 0x1c)), unhex(t, counting(0x20, 0x3f)), aad)
	want := unhex(t, "69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72b4ac6bec93e8598e7f0dadbcea5b")
	if !bytes.Equal(got, want) {
		t.Errorf("sealed %x, want %x", got, want)
	}
}

// TestOracleKnownAnswers shows that the oracles are right where vectors exist.
func TestOracleKnownAnswers(t *testing.T) {
	for _, a := range answers {
		v := a.vector(t)
		oracle, err := newOracle(a.alg, v.key, len(v.nonce), len(v.sealed)-len(v.plain))
		if err != nil {
			t.Fatal(err)
		}
		if got := oracle.Seal(nil, v.nonce, v.plain, v.aad); !bytes.Equal(got, v.sealed) {
			t.Errorf("%v, %s: sealed %x, want %x", a.alg, a.name, got, v.sealed)
		}
	}
}

// TestOracleMasks shows it for masks.
func TestOracleMasks(t *testing.T) {
	for _, k := range knownMasks {
		got, err := oracleMask(k.alg, unhex(t, k.key), unhex(t, k.sample))
		if err != nil {
			t.Fatal(err)
		}
		if want := unhex(t, k.mask); !bytes.HasPrefix(got, want) {
			t.Errorf("%v, %s: mask %x, want %x", k.alg, k.name, got, want)
		}
	}
}

// TestFormsCoverTheAlgorithms counts what the kit goes through.
func TestFormsCoverTheAlgorithms(t *testing.T) {
	for alg, want := range map[ciphers.Algorithm]int{
		ciphers.AES128GCM: 6, ciphers.AES192GCM: 6, ciphers.AES256GCM: 6,
		ciphers.AES128CCM: 15, ciphers.AES256CCM: 15, ciphers.ChaCha20Poly1305: 2,
	} {
		if got := len(forms(alg)); got != want {
			t.Errorf("%v: %d forms of key, want %d", alg, got, want)
		}
	}
}
