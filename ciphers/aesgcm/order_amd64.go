//go:build !purego

package aesgcm

import "github.com/sealburst/sealburst/ciphers"

// maxCall is the most bytes that one call of a kernel takes, unless a single
// packet has more: a kernel cannot be preempted.
const maxCall = 64 << 10

// survey is what the packets of a burst have in common.
type survey struct {
	bytes int  // of payload and associated data
	mixed bool // packets differ in the 64-byte registers that they take
	folds bool // some associated data must be folded
}

// simple says that one call of a kernel can take the burst as it is.
func (s survey) simple() bool { return !s.mixed && !s.folds && s.bytes <= maxCall }

// look surveys b, which is not empty. Most bursts are of one shape, and the
// first loop is all that they cost.
func look(b ciphers.Burst, opening bool) survey {
	first := &b.Packets[b.Index[0]]
	n, aad, prefix := first.Len, first.AADLen, len(first.Prefix)
	var differ int
	for _, i := range b.Index {
		p := &b.Packets[i]
		differ |= int(p.Len^n) | int(p.AADLen^aad) | (len(p.Prefix) ^ prefix)
	}
	if differ != 0 {
		return lookClosely(b, opening)
	}
	return survey{bytes: len(b.Index) * (int(n) + int(aad) + prefix), folds: needsFold(first)}
}

func lookClosely(b ciphers.Burst, opening bool) (s survey) {
	one := payloadRegisters(&b.Packets[b.Index[0]], opening)
	for _, i := range b.Index {
		p := &b.Packets[i]
		s.mixed = s.mixed || payloadRegisters(p, opening) != one
		s.folds = s.folds || needsFold(p)
		s.bytes += int(p.Len) + int(p.AADLen) + len(p.Prefix)
	}
	return s
}

// payloadRegisters is how many 64-byte registers the payload takes.
func payloadRegisters(p *ciphers.Packet, opening bool) uint32 {
	return (payloadBytes(p, opening) + 63) / 64
}

func payloadBytes(p *ciphers.Packet, opening bool) uint32 {
	if opening {
		return p.Len - uint32(p.Key.TagSize())
	}
	return p.Len
}

// order is the indexes of a burst by ascending registers, those of maxSorted
// and more together.
type order [ciphers.MaxBurst]uint8

const maxSorted = 47

// sort is a counting sort.
func (o *order) sort(b ciphers.Burst, opening bool) []uint8 {
	var place [maxSorted + 1]uint16
	for _, i := range b.Index {
		place[min(payloadRegisters(&b.Packets[i], opening), maxSorted)]++
	}
	var sum uint16
	for i, n := range place {
		place[i] = sum
		sum += n
	}
	for _, i := range b.Index {
		r := min(payloadRegisters(&b.Packets[i], opening), maxSorted)
		o[place[r]&(ciphers.MaxBurst-1)] = i
		place[r]++
	}
	return o[:len(b.Index)]
}

// split returns how many of the first packets one call may take.
func split(ps []ciphers.Packet, index []uint8) int {
	bytes := 0
	for n, i := range index {
		p := &ps[i]
		bytes += int(p.Len) + int(p.AADLen) + len(p.Prefix)
		if bytes > maxCall && n > 0 {
			return n
		}
	}
	return len(index)
}
