package x25519

import (
	"bytes"
	"crypto/ecdh"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// FuzzAgainstLibrary derives and generates with every implementation and
// compares with crypto/ecdh. The input is cut into private keys and shares.
func FuzzAgainstLibrary(f *testing.F) {
	f.Add(make([]byte, 64))
	f.Add(bytes.Repeat([]byte{0xff}, 64*9))
	high := make([]byte, 128)
	copy(high[32:], bytes.Repeat([]byte{0xec}, 1))
	copy(high[33:], bytes.Repeat([]byte{0xff}, 31))
	f.Add(high)
	f.Fuzz(func(t *testing.T, in []byte) {
		n := min(len(in)/64, ciphers.MaxBurst)
		for name, impl := range implementations() {
			compare(t, name, impl, in[:64*n])
		}
	})
}

func compare(t *testing.T, name string, impl ciphers.Exchanger, in []byte) {
	n := len(in) / 64
	derive, generate := batch(ciphers.OpDerive, n), batch(ciphers.OpGenerate, n)
	for i := range n {
		derive.Entries[i].Private, derive.Entries[i].Public = in[64*i:][:32], in[64*i+32:][:32]
		generate.Entries[i].Seed = in[64*i:][:32]
	}
	impl.Exchange(ciphers.OpDerive, derive)
	impl.Exchange(ciphers.OpGenerate, generate)
	for i := range n {
		private, err := ecdh.X25519().NewPrivateKey(in[64*i:][:32])
		if err != nil {
			t.Fatal(err)
		}
		if g := &generate.Entries[i]; !bytes.Equal(g.Public, private.PublicKey().Bytes()) || g.Status != ciphers.StatusOK {
			t.Errorf("%s: generate %x: %v %x", name, g.Seed, g.Status, g.Public)
		}
		d := &derive.Entries[i]
		peer, err := ecdh.X25519().NewPublicKey(d.Public)
		if err != nil {
			t.Fatal(err)
		}
		want, err := private.ECDH(peer)
		if err != nil {
			want = make([]byte, 32)
		}
		if !bytes.Equal(d.Secret, want) || (err == nil) != (d.Status == ciphers.StatusOK) {
			t.Errorf("%s: derive %x %x: %v %x", name, d.Private, d.Public, d.Status, d.Secret)
		}
	}
}
