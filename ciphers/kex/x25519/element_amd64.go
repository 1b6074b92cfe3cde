//go:build amd64 && !purego

package x25519

import "encoding/binary"

const (
	mask52 = 1<<52 - 1
	mask47 = 1<<47 - 1
)

// element is eight elements of the field of 2^255 - 19, one a lane, each 5 limbs
// of 52 bits. The generator in ../_asm says in which forms limbs occur.
type element [5][lanes]uint64

// limbs is one of the eight.
type limbs [5]uint64

func (e *element) set(lane int, l *limbs) {
	for i := range l {
		e[i][lane] = l[i]
	}
}

func (e *element) get(lane int) *limbs {
	var l limbs
	for i := range l {
		l[i] = e[i][lane]
	}
	return &l
}

// words reads 32 bytes.
func words(b []byte) (w [4]uint64) {
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return w
}

// unpack reads a coordinate and leaves out its top bit (RFC 7748 section 5).
func unpack(b []byte) limbs {
	w := words(b)
	return limbs{
		w[0] & mask52,
		(w[0]>>52 | w[1]<<12) & mask52,
		(w[1]>>40 | w[2]<<24) & mask52,
		(w[2]>>28 | w[3]<<36) & mask52,
		w[3] >> 16 & mask47,
	}
}

// pack writes the 32 bytes of raw limbs, reduced.
func (l *limbs) pack(b []byte) {
	l.reduce()
	binary.LittleEndian.PutUint64(b, l[0]|l[1]<<52)
	binary.LittleEndian.PutUint64(b[8:], l[1]>>12|l[2]<<40)
	binary.LittleEndian.PutUint64(b[16:], l[2]>>24|l[3]<<28)
	binary.LittleEndian.PutUint64(b[24:], l[3]>>36|l[4]<<16)
}

// reduce makes raw limbs canonical: below 2^52, and the number below p.
func (l *limbs) reduce() {
	l.carry(l[4] >> 47) // leaves less than 2p
	over := uint64(19)  // carries out of the top if the number is at least p
	for i := range l[:4] {
		over = (l[i] + over) >> 52
	}
	l.carry((l[4] + over) >> 47)
	l[4] &= mask47
}

// carry takes top times 2^255 off the number, which is 19·top more at the bottom.
func (l *limbs) carry(top uint64) {
	l[4] -= top << 47
	l[0] += 19 * top
	for i := range l[:4] {
		l[i+1] += l[i] >> 52
		l[i] &= mask52
	}
}

// zeroMask is all ones if canonical limbs are zero, in constant time.
func (l *limbs) zeroMask() uint64 {
	or := l[0] | l[1] | l[2] | l[3] | l[4]
	return (or|-or)>>63 - 1
}
