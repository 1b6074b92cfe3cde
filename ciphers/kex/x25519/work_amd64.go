//go:build amd64 && !purego

package x25519

import (
	"math/bits"
	"sync"

	"github.com/sealburst/sealburst/ciphers/kex/internal/aligned"
)

const (
	lanes     = 8
	maxGroups = 8
	maxLanes  = lanes * maxGroups
)

// state is what the kernels work on: eight ladders. The generator in ../_asm knows
// the layout, and the space behind the coordinates is the kernels'.
type state struct {
	x1, x2, z2, x3, z3 element
	_                  [16]element
	bits               [lanes]uint64 // the highest bit of each first
}

// work is the space that a batch of up to maxLanes exchanges takes, 64-byte aligned.
type work struct {
	state
	x, z, chain [maxGroups]element
	scratch     [5]element
	scalars     [maxLanes][4]uint64
	peers       [maxLanes]limbs
}

var works = sync.Pool{New: func() any { return aligned.New[work]() }}

func borrow() *work { return works.Get().(*work) }

// giveBack zeroes all secrets.
func (w *work) giveBack() {
	*w = work{}
	works.Put(w)
}

// scalar is a private key, clamped (RFC 7748 section 5), lowest word first.
func scalar(private []byte) [4]uint64 {
	k := words(private)
	k[0] &^= 7
	k[3] = k[3]&^(1<<63) | 1<<62
	return k
}

func (w *work) setPeer(lane int, share []byte) { w.peers[lane] = unpack(share) }

// multiply leaves, in x, the first n scalars times the first n peers' points.
func (w *work) multiply(n int) {
	for g := range groups(n) {
		w.loadPeers(g)
		for word := 3; word >= 0; word-- {
			for lane := range lanes {
				w.bits[lane] = swaps(&w.scalars[g*lanes+lane])[word]
			}
			ladder(w.raw(), min(64, 64+word-1))
		}
		w.x[g], w.z[g] = w.x2, w.z2
	}
	w.divide(n)
}

// swaps are the ladder's: bit i+1 says whether bits i and i+1 of a scalar differ,
// so that the first of 255 steps finds its bit on top.
func swaps(k *[4]uint64) (s [4]uint64) {
	for i := range s {
		s[i] = k[i] ^ k[i]<<1
		if i > 0 {
			s[i] ^= k[i-1] >> 63
		}
	}
	return s
}

func (w *work) loadPeers(g int) {
	one := limbs{1}
	for lane := range lanes {
		u := &w.peers[g*lanes+lane]
		w.x1.set(lane, u)
		w.x2.set(lane, &one)
		w.z2.set(lane, &limbs{})
		w.x3.set(lane, u)
		w.z3.set(lane, &one)
	}
}

// multiplyBase leaves, in x, the first n scalars times the base point. The
// table's points are those of an eighth of the scalar, and the points of order 4
// that the sum starts with goes away in the three doublings.
func (w *work) multiplyBase(n int) {
	for g := range groups(n) {
		w.loadBase()
		for word := range 4 {
			for lane := range lanes {
				w.bits[lane] = baseSwaps(&w.scalars[g*lanes+lane])[word]
			}
			fixedBase(w.raw(), &baseTable[64*word], min(64, len(baseTable)-64*word))
		}
		w.bits = [lanes]uint64{}
		ladder(w.raw(), 3)
		w.x[g], w.z[g] = w.x2, w.z2
	}
	w.divide(n)
}

// baseSwaps says at bit i, from the top of each word down, whether bits i+3 and
// i+2 of a scalar differ.
func baseSwaps(k *[4]uint64) (s [4]uint64) {
	d := swaps(k)
	for i := range s {
		s[i] = d[i] >> 3
		if i < 3 {
			s[i] |= d[i+1] << 61
		}
		s[i] = bits.Reverse64(s[i])
	}
	return s
}

func (w *work) loadBase() {
	one := limbs{1}
	for lane := range lanes {
		w.x1.set(lane, &one)
		w.x2.set(lane, (*limbs)(&baseStart))
		w.z2.set(lane, &one)
		w.x3.set(lane, &one)
		w.z3.set(lane, &one)
	}
}

func groups(n int) int { return (n + lanes - 1) / lanes }

func (w *work) raw() *state { return &w.state }

// out writes the canonical bytes of x in that lane.
func (w *work) out(lane int, to []byte) { w.x[lane/lanes].get(lane % lanes).pack(to) }
