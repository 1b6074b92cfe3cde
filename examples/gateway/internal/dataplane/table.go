package dataplane

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"
)

// address is an IPv6 address, or an IPv4 address as mapped into IPv6.
type address struct{ high, low uint64 }

const mapped = 0xffff << 32

func addressOf(a netip.Addr) address {
	b := a.As16()
	return address{binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])}
}

// destination is that of an IP packet, whose header is all there.
func destination(packet []byte) address {
	if packet[0]>>4 == 6 {
		return address{binary.BigEndian.Uint64(packet[24:]), binary.BigEndian.Uint64(packet[32:])}
	}
	return address{0, mapped | uint64(binary.BigEndian.Uint32(packet[16:]))}
}

// addr is the address as others take it.
func (a address) addr() netip.Addr {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:], a.high)
	binary.BigEndian.PutUint64(b[8:], a.low)
	return netip.AddrFrom16(b).Unmap()
}

func (a address) masked(m address) address { return address{a.high & m.high, a.low & m.low} }

func (a address) hash() uint64 {
	h := (a.high ^ a.low*0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd
	return h ^ h>>32
}

// prefixes finds the longest of many prefixes that an address is in. What a search
// costs grows with how many lengths there are, and not with how many prefixes. It is
// made once and then read by any number of goroutines.
type prefixes[T any] struct{ lengths []length[T] }

// length is the prefixes of one length, in an open-addressed table that is at most half
// full.
type length[T any] struct {
	bits  int
	mask  address
	slots []slot[T]
}

type slot[T any] struct {
	prefix address
	value  *T
}

// newPrefixes makes the table of what all says. Of equal prefixes the first counts.
func newPrefixes[T any](all []netip.Prefix, values []*T) *prefixes[T] {
	p := &prefixes[T]{}
	byBits := map[int][]int{}
	for i, prefix := range all {
		byBits[bitsOf(prefix)] = append(byBits[bitsOf(prefix)], i)
	}
	for bits, members := range byBits {
		l := newLength[T](bits, len(members))
		for _, i := range members {
			l.add(addressOf(all[i].Addr()), values[i])
		}
		p.lengths = append(p.lengths, l)
	}
	slices.SortFunc(p.lengths, func(a, b length[T]) int { return cmp.Compare(b.bits, a.bits) })
	return p
}

// bitsOf counts the bits of an IPv4 prefix as those of the mapped one.
func bitsOf(p netip.Prefix) int {
	if p.Addr().Is4() {
		return p.Bits() + 96
	}
	return p.Bits()
}

func newLength[T any](bits, n int) length[T] {
	size := 2
	for size < 2*n {
		size *= 2
	}
	return length[T]{bits, maskOf(bits), make([]slot[T], size)}
}

func maskOf(bits int) address {
	ones := func(n int) uint64 { return ^(^uint64(0) >> min(max(n, 0), 64)) }
	return address{ones(bits), ones(bits - 64)}
}

func (l *length[T]) add(a address, value *T) {
	a = a.masked(l.mask)
	for at := a.hash(); ; at++ {
		s := &l.slots[at&uint64(len(l.slots)-1)]
		if s.value == nil {
			*s = slot[T]{a, value}
		}
		if s.prefix == a {
			return
		}
	}
}

// find is the value of the longest prefix, or nil.
func (p *prefixes[T]) find(a address) *T {
	for i := range p.lengths {
		if value := p.lengths[i].find(a); value != nil {
			return value
		}
	}
	return nil
}

func (l *length[T]) find(a address) *T {
	a = a.masked(l.mask)
	for at := a.hash(); ; at++ {
		s := &l.slots[at&uint64(len(l.slots)-1)]
		if s.value == nil || s.prefix == a {
			return s.value
		}
	}
}
