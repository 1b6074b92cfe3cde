//go:build amd64 && !purego

package cbchmac

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// TestWorkIsZeroAfterwards looks at what a burst leaves in its work: no key, no
// state, no pointer to a packet.
func TestWorkIsZeroAfterwards(t *testing.T) {
	needVAES512(t)
	for _, c := range []struct {
		name          string
		keys, lengths int
	}{{"group of one key", 1, 1}, {"group of two keys", 2, 1}, {"lanes of one key", 1, 3}, {"lanes of two keys", 2, 3}} {
		t.Run(c.name, func(t *testing.T) {
			w := works.New().(*work)
			w.run(sixPackets(t, c.keys, c.lengths))
			rounds, grouped, spread := w.keys, w.group.n != 0, w.keys.rounds[10] != [lanes][blockSize]byte{}
			if grouped != (c.lengths == 1) || w.used == grouped || spread != (c.keys > 1) {
				t.Error("the burst went another way")
			}
			if w.used && w.mac.lane[0].block == [gathered + hashBlock]byte{} {
				t.Error("the lanes are zero while they are used")
			}
			w.wipe()
			w.keys = nil
			wantZero(t, unsafe.Slice((*byte)(unsafe.Pointer(w)), unsafe.Sizeof(*w)))
			wantZero(t, unsafe.Slice((*byte)(unsafe.Pointer(rounds)), unsafe.Sizeof(*rounds)))
		})
	}
}

// sixPackets are to be sealed under so many keys in turn, and are of so many lengths.
func sixPackets(t *testing.T, keys, lengths int) job {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	alg := benchAlgorithms()[1]
	of := twins(t, rng, alg, keys, false)
	ps, _ := alikePackets(rng, alg, 6, 8, 48, of)
	for i := range ps {
		ps[i].Key, ps[i].Len = of[i%keys].lanes[ciphers.Sealing], uint32(16*(3-i%lengths))
	}
	ciphers.SealBorder(ps)
	return job{Burst: ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}, hash: hashSHA256, rounds: 10}
}

func wantZero(t *testing.T, all []byte) {
	t.Helper()
	if !bytes.Equal(all, make([]byte, len(all))) {
		t.Error("the work is not zero")
	}
}
