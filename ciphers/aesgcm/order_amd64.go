//go:build !purego

package aesgcm

import "github.com/sealburst/sealburst/ciphers"

// maxCall is the most bytes that one call of a kernel takes, unless a single
// packet has more: a kernel cannot be preempted.
const maxCall = 64 << 10

// simple says that one call of a kernel can take the burst as it is: its packets are of
// one shape, and their associated data need not be folded.
func simple(b ciphers.Burst) bool {
	if len(b.Index) == 0 {
		return false
	}
	first := &b.Packets[b.Index[0]]
	if needsFold(first) {
		return false
	}
	return len(b.Index) == 1 || len(b.Index)*bytesOf(first) <= maxCall && sameShape(b.Packets, b.Index)
}

// sameShape says that packets, at least one, are alike in the lengths of payload and
// associated data.
func sameShape(ps []ciphers.Packet, index []uint8) bool {
	first := &ps[index[0]]
	n, aad, prefix := first.Len, first.AADLen, len(first.Prefix)
	for _, i := range index[1:] {
		p := &ps[i]
		if int(p.Len^n)|int(p.AADLen^aad)|(len(p.Prefix)^prefix) != 0 {
			return false
		}
	}
	return true
}

// oneShape processes the packets at the head of a burst that are of one shape, if the
// first quad promises that they are many, and says how many they were and how many are
// StatusOK. The kernels find out how far they go, which costs less than a look at each
// before it; that for one key may stop on the way.
func (v vector) oneShape(b ciphers.Burst, opening bool) (taken, ok int) {
	first := &b.Packets[b.Index[0]]
	if !sameShape(b.Packets, b.Index[:quad]) || needsFold(first) {
		return 0, 0
	}
	most := len(b.Index)
	if size := bytesOf(first); most*size > maxCall {
		most = max(1, maxCall/size)
	}
	for taken < len(b.Index) {
		index := b.Index[taken:min(taken+most, len(b.Index))]
		if !sameShape(b.Packets, []uint8{b.Index[0], index[0]}) {
			break // the kernel compares with the first of its call alone
		}
		var n, good int
		if first.Len >= minOneKeyPayload && v.forOneKey(b.Packets, index, opening) {
			n, good = v.oneKey(b.Packets, index, b.Slot, nil, firstShape, opening)
		} else {
			n, good = v.call(&b.Packets[0], index, b.Slot, nil, firstShape, opening)
		}
		taken, ok = taken+n, ok+good
	}
	return taken, ok
}

// maxOrdered is how many packets are put in order at a time: with the square of it grows
// what that costs.
const maxOrdered = 64

// order is the indexes of a burst by ascending registers of payload, those of 47 and
// more together. Packets of equal number stay in their order.
type order struct {
	index [ciphers.MaxBurst]uint8
	sizes sizes
	bytes int  // of payload and associated data
	folds bool // some associated data must be folded
}

// sizes count the packets of 0, 1, 2 … registers of payload, in fields of one word. The
// last field has all of six and more.
type sizes uint64

func (s sizes) count(registers int) int { return int(s>>(9*registers)) & (1<<9 - 1) }

// sort puts a burst in order. Opening takes tags to be whole: short ones may put a
// packet among those of one register more, which does no harm.
func (o *order) sort(b ciphers.Burst, opening bool) []uint8 {
	up := 63
	if opening {
		up -= fullTag
	}
	counts, bytes, folds := orderBurst(&b.Packets[0], &b.Index[0], len(b.Index), up, &o.index[0])
	o.sizes, o.bytes, o.folds = sizes(counts), bytes, folds != 0
	return o.index[:len(b.Index)]
}

// orderBurst orders the packets that index names, at least one, by the whole
// registers of 64 bytes in their length plus up. folds is 1 or 0.
//
//go:noescape
func orderBurst(packets *ciphers.Packet, index *uint8, count, up int, ordered *uint8) (counts uint64, bytes, folds int)

func payloadBytes(p *ciphers.Packet, opening bool) uint32 {
	if opening {
		return p.Len - uint32(p.Key.TagSize())
	}
	return p.Len
}

// bytesOf is the payload, with its tag when opening, and associated data of a packet.
func bytesOf(p *ciphers.Packet) int { return int(p.Len) + int(p.AADLen) + len(p.Prefix) }

// split returns how many of the first packets one call may take.
func split(ps []ciphers.Packet, index []uint8) int {
	bytes := 0
	for n, i := range index {
		bytes += bytesOf(&ps[i])
		if bytes > maxCall && n > 0 {
			return n
		}
	}
	return len(index)
}
