//go:build amd64 && !purego

package nist

import (
	"bytes"
	"crypto/ecdh"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// FuzzAgainstLibrary derives with private keys and peers cut out of the input,
// the peers' private keys being what is fuzzed, and compares with crypto/ecdh.
func FuzzAgainstLibrary(f *testing.F) {
	needIFMA(f)
	f.Add(bytes.Repeat([]byte{1}, 64))
	f.Add(bytes.Repeat([]byte{0xff}, 64*9))
	f.Add(append(bytes.Repeat([]byte{0}, 31), bytes.Repeat([]byte{1}, 33)...))
	f.Fuzz(func(t *testing.T, in []byte) {
		n := min(len(in)/64, 20)
		entries := make([]ciphers.Exchange, n)
		for i := range entries {
			entries[i] = ciphers.Exchange{
				Group: ciphers.P256, Operation: ciphers.OpDerive, Private: in[64*i:][:32],
				Public: shareOf(in[64*i+32:][:32]), Secret: make([]byte, 32),
			}
		}
		if n == 0 {
			return
		}
		P256IFMA().Exchange(ciphers.OpDerive, ciphers.ExchangeBatch{Entries: entries, Index: ciphers.Identity(n)})
		for i := range entries {
			compare(t, &entries[i])
		}
	})
}

// shareOf is the share of a private key, or no point where that is none.
func shareOf(private []byte) []byte {
	k, err := ecdh.P256().NewPrivateKey(private)
	if err != nil {
		return make([]byte, ciphers.P256PublicSize)
	}
	return k.PublicKey().Bytes()
}

func compare(t *testing.T, x *ciphers.Exchange) {
	want, status := make([]byte, 32), ciphers.StatusOK
	private, err := ecdh.P256().NewPrivateKey(x.Private)
	if err != nil {
		status = ciphers.StatusPrivate
	} else if peer, err := ecdh.P256().NewPublicKey(x.Public); err != nil {
		status = ciphers.StatusShare
	} else if want, err = private.ECDH(peer); err != nil {
		t.Fatal(err)
	}
	if x.Status != status || !bytes.Equal(x.Secret, want) {
		t.Errorf("%x with %x: %v %x", x.Private, x.Public, x.Status, x.Secret)
	}
}
