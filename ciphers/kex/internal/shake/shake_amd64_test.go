//go:build amd64 && !purego

package shake

import (
	"bytes"
	"crypto/sha3"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/kex/internal/aligned"
)

// library is the function of the standard library, n bytes of it.
func library(f Function, in []byte, n int) []byte {
	out := make([]byte, n)
	switch f {
	case SHA3x256:
		h := sha3.Sum256(in)
		copy(out, h[:])
	case SHA3x512:
		h := sha3.Sum512(in)
		copy(out, h[:])
	case SHAKE128:
		copy(out, sha3.SumSHAKE128(in, n))
	case SHAKE256:
		copy(out, sha3.SumSHAKE256(in, n))
	}
	return out
}

// TestAgainstLibrary runs all lengths of input up to some blocks, other bytes in
// each lane, and all lengths of output.
func TestAgainstLibrary(t *testing.T) {
	cipherstest.NeedCPU(t, Requires)
	for name, f := range map[string]Function{"SHA3-256": SHA3x256, "SHA3-512": SHA3x512, "SHAKE128": SHAKE128, "SHAKE256": SHAKE256} {
		t.Run(name, func(t *testing.T) {
			for n := range 420 {
				out := 8 * (1 + n%70)
				if f.suffix == SHA3x256.suffix {
					out = (200 - f.Rate) / 2 // a hash is half of what its rate leaves
				}
				compare(t, f, n, out)
			}
		})
	}
}

func compare(t *testing.T, f Function, n, size int) {
	s := aligned.New[Eight]()
	var in, out [Lanes][]byte
	for lane := range Lanes {
		in[lane], out[lane] = make([]byte, n), make([]byte, size)
		for i := range in[lane] {
			in[lane][i] = byte(i*7 + lane*31 + n)
		}
	}
	s.Absorb(f, &in)
	s.Squeeze(f, &out)
	for lane := range Lanes {
		if want := library(f, in[lane], size); !bytes.Equal(out[lane], want) {
			t.Fatalf("%d bytes, lane %d: %x, want %x", n, lane, out[lane][:8], want[:8])
		}
	}
}

func BenchmarkPermute(b *testing.B) {
	cipherstest.NeedCPU(b, Requires)
	s := aligned.New[Eight]()
	for b.Loop() {
		permute(s)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Lanes, "ns/state")
}
