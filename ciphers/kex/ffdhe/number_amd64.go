//go:build amd64 && !purego

package ffdhe

import (
	"encoding/binary"
	"math/bits"
)

const (
	lanes  = 8
	size   = 40 // limbs
	width  = 2048 / 8
	mask52 = 1<<52 - 1
)

// number is eight numbers below 2^2080, one a lane, each 40 limbs of 52 bits.
type number [size][lanes]uint64

// limbs is one of the eight.
type limbs [size]uint64

func (n *number) set(lane int, l *limbs) {
	for i := range l {
		n[i][lane] = l[i]
	}
}

func (n *number) setAll(l *limbs) {
	for lane := range lanes {
		n.set(lane, l)
	}
}

func (n *number) get(lane int) (l limbs) {
	for i := range l {
		l[i] = n[i][lane]
	}
	return l
}

// unpack reads 256 bytes, big-endian: limb i is the 52 bits from bit 52·i on.
func unpack(b []byte) (l limbs) {
	var padded [8 + width]byte // so that the highest limb reads 8 bytes too
	copy(padded[8:], b)
	for i := range l {
		bit := 52 * i
		end := len(padded) - bit/8
		l[i] = binary.BigEndian.Uint64(padded[end-8:]) >> (bit % 8) & mask52
	}
	clear(padded[:])
	return l
}

// pack writes 256 bytes of a number below 2^2048. Two limbs are 13 bytes.
func (l *limbs) pack(b []byte) {
	var padded [13 * size / 2]byte
	for i := 0; i < size; i += 2 {
		end := len(padded) - 13*i/2
		binary.BigEndian.PutUint64(padded[end-8:end], l[i]|l[i+1]<<52)
		for k := range 5 {
			padded[end-9-k] = byte(l[i+1] >> (12 + 8*k))
		}
	}
	copy(b, padded[len(padded)-width:])
	clear(padded[:])
}

// reduce takes p off a number that is below 2p and not below p, in constant time.
func (l *limbs) reduce(p *limbs) {
	var d limbs
	var borrow uint64
	for i := range l {
		d[i], borrow = bits.Sub64(l[i], p[i], borrow)
		d[i] &= mask52
	}
	keep := -borrow
	for i := range l {
		l[i] = l[i]&keep | d[i]&^keep
	}
}
