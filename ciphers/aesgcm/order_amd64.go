//go:build !purego

package aesgcm

import "github.com/sealburst/sealburst/ciphers"

// maxCall is the most bytes that one call of a kernel takes, unless a single
// packet has more: a kernel cannot be preempted.
const maxCall = 64 << 10

// simple says that one call of a kernel can take the burst as it is: no packet's
// associated data must be folded, and none but the first quad is looked at more
// closely. Most bursts are of one shape, and this is all that they cost.
func simple(b ciphers.Burst) bool {
	first := &b.Packets[b.Index[0]]
	n, aad, prefix := first.Len, first.AADLen, len(first.Prefix)
	for _, i := range b.Index {
		p := &b.Packets[i]
		if int(p.Len^n)|int(p.AADLen^aad)|(len(p.Prefix)^prefix) != 0 {
			return false
		}
	}
	return len(b.Index)*(int(n)+int(aad)+prefix) <= maxCall && !needsFold(first)
}

// order is the indexes of a burst by ascending registers of payload, those of
// maxSorted and more together.
type order struct {
	index [ciphers.MaxBurst]uint8
	ends  sizes
	folds bool // some associated data must be folded
}

// sizes are where in an order the packets of each number of registers end.
type sizes [maxSorted + 1]uint16

const maxSorted = 47

// sort is a counting sort. Opening takes tags to be whole: short ones may put a
// packet among those of one register more, which does no harm.
func (o *order) sort(b ciphers.Burst, opening bool) []uint8 {
	up := uint32(63)
	if opening {
		up -= fullTag
	}
	var registers [ciphers.MaxBurst]uint8
	for n, i := range b.Index {
		p := &b.Packets[i]
		r := min((p.Len+up)/64, maxSorted)
		registers[n&(ciphers.MaxBurst-1)] = uint8(r)
		o.ends[r]++
		o.folds = o.folds || needsFold(p)
	}
	var sum uint16
	for i, n := range o.ends {
		o.ends[i] = sum
		sum += n
	}
	for n, i := range b.Index {
		end := &o.ends[registers[n&(ciphers.MaxBurst-1)]%(maxSorted+1)]
		o.index[*end&(ciphers.MaxBurst-1)] = i
		*end++
	}
	return o.index[:len(b.Index)]
}

func payloadBytes(p *ciphers.Packet, opening bool) uint32 {
	if opening {
		return p.Len - uint32(p.Key.TagSize())
	}
	return p.Len
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
