//go:build amd64 && !purego

package chachapoly

import "math/bits"

// order is the packets of a part: those that the kernels take together, longest first,
// and those that are alone.
type order struct {
	sorted, others  [maxPart]uint8
	together, alone []uint8
	oneLength       bool
	mostAAD         int // the most associated data of a packet in bytes
}

// sort puts the packets of w in order. Up to as many as lone are not taken together; with -1 all
// are that the kernels can take.
func (o *order) sort(w *work, lone int) {
	o.alone, o.together = o.others[:0], o.sorted[:len(w.Index)]
	o.oneLength, o.mostAAD = w.alike()
	if o.oneLength {
		copy(o.together, w.Index)
	} else {
		o.byLength(w)
	}
	if !o.oneLength || o.mostAAD > maxAAD || len(w.Index)%lanes == 1 {
		o.separate(w, lone)
	}
}

// alike reports whether the packets are of one length, and the most associated data that one
// has.
func (w *work) alike() (oneLength bool, mostAAD int) {
	first, length := w.Packets[w.Index[0]].Len, uint32(0)
	for _, at := range w.Index {
		p := &w.Packets[at]
		length |= p.Len ^ first
		mostAAD = max(mostAAD, len(p.Prefix)+int(p.AADLen))
	}
	return length == 0, mostAAD
}

// classes are lengths to three bits behind the first.
const classes = 8 * (17 - 3 + 1)

func class(n uint32) int {
	e := max(bits.Len32(n)-4, 0)
	return 8*e + int(n>>e)
}

// byLength sorts the packets by descending class.
func (o *order) byLength(w *work) {
	var ends [classes]uint8
	low, high := classes-1, 0
	for _, at := range w.Index {
		c := class(w.Packets[at].Len)
		ends[c]++
		low, high = min(low, c), max(high, c)
	}
	end := uint8(0)
	for c := high; c >= low; c-- {
		end += ends[c]
		ends[c] = end
	}
	for _, at := range w.Index {
		c := class(w.Packets[at].Len)
		ends[c]--
		o.together[ends[c]] = at
	}
}

// separate finds the packets that are alone.
func (o *order) separate(w *work, lone int) {
	kept := o.together[:0]
	for i, at := range o.together {
		p := &w.Packets[at]
		switch {
		case len(p.Prefix)+int(p.AADLen) > maxAAD:
		case lone >= 0 && len(kept)%lanes == 0 && o.leads(w, i):
		default:
			kept = append(kept, at)
			continue
		}
		o.alone = append(o.alone, at)
	}
	if lone >= 0 && (len(kept) <= lone || !w.worthwhile(kept)) {
		o.alone, kept = append(o.alone, kept...), nil
	}
	o.together = kept
}

// leads reports whether the packet at place i, the first of eight that would be hashed together,
// is so much longer than the next that it is better left to the portable tier.
func (o *order) leads(w *work, i int) bool {
	n, next := int(w.Packets[o.together[i]].Len), 0
	if i+1 < len(o.together) {
		next = int(w.Packets[o.together[i+1]].Len)
	}
	return costGroupByte*(n-next) > costPortable-costPacket+(costPortableByte-costByte)*n
}

// worthwhile reports whether the kernels take less for packets in that order than the portable
// tier.
func (w *work) worthwhile(index []uint8) bool {
	kernels, portable := costPart, 0
	for i, at := range index {
		n := int(w.Packets[at].Len)
		if i%lanes == 0 {
			kernels += costGroup + costGroupByte*n
		}
		kernels += costPacket + costByte*n
		portable += costPortable + costPortableByte*n
	}
	return kernels < portable
}

// What packets of different lengths take, in hundredths of a nanosecond on a processor of
// 3.6 GHz. The hash of eight packets takes as long as that of the longest. The portable tier takes
// up to 0.40 ns a byte; it is taken to be better than that where both are near each other.
const (
	costPart         = 25000 // also for lanes that are empty
	costGroup        = 6000
	costGroupByte    = 44
	costPacket       = 3500
	costByte         = 17
	costPortable     = 14500
	costPortableByte = 35
)
