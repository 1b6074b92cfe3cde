package mlkem

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// FuzzAgainstLibrary cuts the input into seeds, and compares key pairs,
// ciphertexts and secrets with crypto/mlkem. A bit of each ciphertext is turned
// now and then.
func FuzzAgainstLibrary(f *testing.F) {
	f.Add(make([]byte, 96), uint16(0))
	f.Add(bytes.Repeat([]byte{0xa5}, 96*9), uint16(777))
	f.Fuzz(func(t *testing.T, seeds []byte, flip uint16) {
		n := min(len(seeds)/96, 20)
		if n == 0 {
			return
		}
		compareAll(t, seeds[:96*n], int(flip))
	})
}

// TestAgainstLibrary is the same on many random seeds, so that matrices that take
// more than three blocks to sample occur.
func TestAgainstLibrary(t *testing.T) {
	r := rand.NewChaCha8([32]byte{1})
	for range 6 {
		seeds := make([]byte, 96*19)
		_, _ = r.Read(seeds)
		compareAll(t, seeds, int(r.Uint64()%ciphers.MLKEM768CiphertextSize))
	}
}

func compareAll(t *testing.T, seeds []byte, flip int) {
	want := run(Std768(), seeds, flip)
	for name, impl := range implementations() {
		got := run(impl, seeds, flip)
		for i := range got {
			for what, pair := range map[string][2][]byte{
				"key": {got[i].key, want[i].key}, "ciphertext": {got[i].ciphertext, want[i].ciphertext},
				"secret": {got[i].secret, want[i].secret}, "decapsulated": {got[i].decapsulated, want[i].decapsulated},
			} {
				if !bytes.Equal(pair[0], pair[1]) {
					t.Errorf("%s: entry %d: %s differs", name, i, what)
				}
			}
		}
	}
}

// outcome is all that follows from 96 bytes of seeds.
type outcome struct{ key, ciphertext, secret, decapsulated []byte }

func run(impl ciphers.Exchanger, seeds []byte, flip int) []outcome {
	b := batch(len(seeds) / 96)
	for i := range b.Entries {
		b.Entries[i].Seed = seeds[96*i:][:64]
	}
	impl.Exchange(ciphers.OpGenerate, b)
	out := make([]outcome, len(b.Entries))
	for i := range b.Entries {
		out[i].key = bytes.Clone(b.Entries[i].Public)
		b.Entries[i].Seed = seeds[96*i+64:][:32]
	}
	impl.Exchange(ciphers.OpEncapsulate, b)
	for i := range b.Entries {
		x := &b.Entries[i]
		out[i].ciphertext, out[i].secret = bytes.Clone(x.Ciphertext), bytes.Clone(x.Secret)
		if i%3 == 0 {
			x.Ciphertext[flip%len(x.Ciphertext)] ^= 1 << (i % 8)
		}
		if i%4 == 1 {
			x.Prepared = nil
		}
	}
	impl.Exchange(ciphers.OpDecapsulate, b)
	for i := range b.Entries {
		out[i].decapsulated = b.Entries[i].Secret
	}
	return out
}

// TestTimeDoesNotTellForgeries decapsulates good ciphertexts and forged ones.
func TestTimeDoesNotTellForgeries(t *testing.T) {
	for name, impl := range implementations() {
		t.Run(name, func(t *testing.T) {
			b := batch(3)
			last := &b.Entries[2].Ciphertext[ciphers.MLKEM768CiphertextSize-1]
			good := *last
			impl.Exchange(ciphers.OpDecapsulate, b)
			cipherstest.TestTimingOf(t, func(forged bool) {
				if *last = good; forged {
					*last = ^good
				}
			}, func() { impl.Exchange(ciphers.OpDecapsulate, b) })
		})
	}
}

// TestClearedKeyIsNotTaken clears the expanded form of a private key of zeros,
// which then looks like its own.
func TestClearedKeyIsNotTaken(t *testing.T) {
	for name, impl := range implementations() {
		b := batch(1)
		x := &b.Entries[0]
		x.Seed = make([]byte, ciphers.MLKEM768PrivateSize)
		impl.Exchange(ciphers.OpGenerate, b)
		x.Seed = nil
		impl.Exchange(ciphers.OpEncapsulate, b)
		want := bytes.Clone(x.Secret)
		x.Prepared.Clear()
		impl.Exchange(ciphers.OpDecapsulate, b)
		if !bytes.Equal(x.Secret, want) {
			t.Errorf("%s: took a cleared key", name)
		}
	}
}
