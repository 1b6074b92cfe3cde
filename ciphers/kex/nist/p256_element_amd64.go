//go:build amd64 && !purego

package nist

import (
	"encoding/binary"
	"math/bits"
)

const (
	lanes  = 8
	mask52 = 1<<52 - 1
)

// element is eight elements of the field of P-256, one a lane, each 5 limbs of 52
// bits. The generator in ../_asm says in which forms limbs occur.
type element [5][lanes]uint64

// limbs is one of the eight.
type limbs [5]uint64

// point is eight points in projective coordinates.
type point struct{ x, y, z element }

// Constants of the field: p, the square of 2^260 modulo p, and 2^260 modulo p.
var (
	fieldPrime = limbs{mask52, 1<<44 - 1, 0, 1 << 36, 0xffffffff << 16}
	toForm     = limbs{0x300, 0xffffffff00000, 0xffffefffffffb, 0xfdfffffffffff, 0x4ffffff}
	formOne    = limbs{0x10, 0xf000000000000, 0xfffffffffffff, 0xffeffffffffff, 0xfffff}
)

func (e *element) set(lane int, l *limbs) {
	for i := range l {
		e[i][lane] = l[i]
	}
}

func (e *element) setAll(l *limbs) {
	for lane := range lanes {
		e.set(lane, l)
	}
}

func (e *element) get(lane int) *limbs {
	var l limbs
	for i := range l {
		l[i] = e[i][lane]
	}
	return &l
}

// words reads 32 bytes, big-endian, into words of which the lowest is the first.
func words(b []byte) (w [4]uint64) {
	for i := range w {
		w[i] = binary.BigEndian.Uint64(b[24-8*i:])
	}
	return w
}

func unpack(b []byte) limbs {
	w := words(b)
	return limbs{
		w[0] & mask52,
		(w[0]>>52 | w[1]<<12) & mask52,
		(w[1]>>40 | w[2]<<24) & mask52,
		(w[2]>>28 | w[3]<<36) & mask52,
		w[3] >> 16,
	}
}

// pack writes 32 bytes of canonical limbs.
func (l *limbs) pack(b []byte) {
	binary.BigEndian.PutUint64(b[24:], l[0]|l[1]<<52)
	binary.BigEndian.PutUint64(b[16:], l[1]>>12|l[2]<<40)
	binary.BigEndian.PutUint64(b[8:], l[2]>>24|l[3]<<28)
	binary.BigEndian.PutUint64(b, l[3]>>36|l[4]<<16)
}

// reduce makes masked limbs below 3p canonical, in constant time.
func (l *limbs) reduce() {
	for range 2 {
		var d limbs
		var borrow uint64
		for i := range l {
			d[i], borrow = bits.Sub64(l[i], fieldPrime[i], borrow)
			if i < 4 {
				d[i] &= mask52
			}
		}
		keep := -borrow
		for i := range l {
			l[i] = l[i]&keep | d[i]&^keep
		}
	}
}
