//go:build amd64 && !purego

package nist

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/kex/internal/aligned"
)

const (
	maxGroups = 8
	maxLanes  = lanes * maxGroups
	window    = 4 // bits of a scalar that one addition takes
)

// state is what the kernels work on: they double p and add q to it. The
// generator in ../_asm knows the layout; the space behind the points is the kernels'.
type state struct {
	p, q point
	_    [24]element
}

// work is the space that a batch of up to maxLanes exchanges takes, 64-byte aligned.
type work struct {
	state
	table       [16]point // multiples of the group's points
	x, z, chain [maxGroups]element
	squares     element
	scratch     [8]element
	scalars     [maxLanes][4]uint64
	peers       [maxLanes][2]limbs // X and Y
	privates    [maxLanes][ciphers.P256PrivateSize]byte
}

var works = sync.Pool{New: func() any { return aligned.New[work]() }}

func borrow() *work { return works.Get().(*work) }

// giveBack zeroes all secrets.
func (w *work) giveBack() {
	*w = work{}
	works.Put(w)
}

func groups(n int) int { return (n + lanes - 1) / lanes }

// setLane gives a lane a scalar and a point on the curve.
func (w *work) setLane(lane int, private, share []byte) {
	w.scalars[lane] = words(private)
	w.peers[lane] = [2]limbs{unpack(share[1:33]), unpack(share[33:65])}
}

// multiply leaves, in x, the coordinate X of the first n scalars times the first
// n points, canonical. No scalar is zero or above the order.
func (w *work) multiply(n int) {
	for lane := n; lane < groups(n)*lanes; lane++ {
		w.scalars[lane], w.peers[lane] = [4]uint64{1}, w.peers[0]
	}
	for g := range groups(n) {
		w.makeTable(g)
		for digit := 256/window - 1; digit >= 0; digit-- {
			w.choose(g, digit)
			if digit == 256/window-1 {
				w.p = w.q
				continue
			}
			double(w.kernel(), window)
			add(w.kernel())
		}
		w.x[g], w.z[g] = w.p.x, w.p.z
	}
	w.divide(groups(n) - 1)
}

func (w *work) kernel() *state { return &w.state }

// makeTable fills the table with 0 to 15 times the points of a group.
func (w *work) makeTable(g int) {
	w.scratch[0].setAll(&toForm)
	for lane := range lanes {
		w.q.x.set(lane, &w.peers[g*lanes+lane][0])
		w.q.y.set(lane, &w.peers[g*lanes+lane][1])
	}
	mul(&w.q.x, &w.q.x, &w.scratch[0])
	mul(&w.q.y, &w.q.y, &w.scratch[0])
	w.q.z.setAll(&formOne)
	w.table[0] = point{y: w.q.z} // the point at infinity
	w.table[1], w.p = w.q, w.q
	for i := 2; i < len(w.table); i++ {
		add(w.kernel())
		w.table[i] = w.p
	}
}

// choose sets q to the multiple that each lane's scalar has at a digit.
func (w *work) choose(g, digit int) {
	var digits [lanes]uint64
	for lane := range lanes {
		digits[lane] = w.scalars[g*lanes+lane][digit/16] >> (digit % 16 * window) & 15
	}
	choose(&w.q, &w.table, &digits)
}

// out writes x in that lane.
func (w *work) out(lane int, secret []byte) { w.x[lane/lanes].get(lane % lanes).pack(secret) }
