//go:build linux && amd64 && !purego

package cbchmac

import (
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestGuardPages has packets whose first and last bytes are those of a page: a
// load or store beyond them faults. Plaintexts to open stand apart at such places
// too.
func TestGuardPages(t *testing.T) {
	needVAES512(t)
	rng := rand.New(rand.NewPCG(5, 6))
	front, behind, plain := tiertest.Guarded(t, 2), tiertest.Guarded(t, 2), tiertest.Guarded(t, 2)
	for _, alg := range benchAlgorithms() {
		k, impl := newTwin(t, alg, rng), VAES512()[alg]
		for n := range 200 {
			p := randomPacket(rng, alg, 16*n)
			size := len(p.Buf) - 16 + k.lanes[ciphers.Sealing].TagSize()
			at := front[:size:size]
			if n&1 == 1 {
				at = behind[len(behind)-size:]
			}
			copy(at, p.Buf)
			p.Buf, p.Key = at, k.lanes[ciphers.Sealing]
			ps := []ciphers.Packet{p}
			one := ciphers.Burst{Packets: ps, Index: ciphers.Identity(1)}
			ciphers.SealBorder(ps)
			if impl.Seal(one) != 1 {
				t.Fatalf("%v, %d bytes: %v", alg, p.Len, ps[0].Status)
			}
			ps[0].Key, ps[0].Plain = k.lanes[ciphers.Opening], plain[len(plain)-int(p.Len):]
			ps[0].Len += uint32(p.Key.TagSize())
			ciphers.OpenBorder(ps)
			if impl.Open(one) != 1 {
				t.Fatalf("%v, %d bytes: %v", alg, p.Len, ps[0].Status)
			}
		}
	}
}
