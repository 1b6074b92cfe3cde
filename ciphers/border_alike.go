package ciphers

import (
	"encoding/binary"
	"unsafe"
)

// Most packets of a burst are like the one before them. Those are checked by
// comparison, which costs less than half of a full check.

// shape is what such packets have in common.
type shape struct {
	key     *Key
	offsets uint64 // Len, Off and AADOff, as they lie in a Packet
	ranges  uint32 // AADLen and IVOff, likewise
	wire    int    // where the tag ends in Buf
	size    int    // the plaintext's length
	mixed   bool   // there are other keys of the same kind
}

// What offsets, ranges and sampled read: each line fails to compile when it moves.
var (
	_ [4]byte = [unsafe.Offsetof(Packet{}.Off) - unsafe.Offsetof(Packet{}.Len)]byte{}
	_ [6]byte = [unsafe.Offsetof(Packet{}.AADOff) - unsafe.Offsetof(Packet{}.Len)]byte{}
	_ [2]byte = [unsafe.Offsetof(Packet{}.IVOff) - unsafe.Offsetof(Packet{}.AADLen)]byte{}
	_ [2]byte = [unsafe.Offsetof(Packet{}.AADLen) - unsafe.Offsetof(Packet{}.AADOff)]byte{}
	_ [6]byte = [unsafe.Offsetof(Packet{}.SampleOff) - unsafe.Offsetof(Packet{}.AADOff)]byte{}
)

func (p *Packet) offsets() uint64 { return *(*uint64)(unsafe.Pointer(&p.Len)) }

func (p *Packet) ranges() uint32 { return *(*uint32)(unsafe.Pointer(&p.AADLen)) }

// sampled is AADOff, ranges and SampleOff. It does not lie at a multiple of 8.
func (p *Packet) sampled() uint64 {
	return binary.NativeEndian.Uint64((*[8]byte)(unsafe.Pointer(&p.AADOff))[:])
}

// next is the packet behind p in a burst that has one.
func (p *Packet) next() *Packet { return (*Packet)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p))) }

// likeFirst does the border's work on the packets in front that are like the first
// and that the quick checks accept, and returns how many they are, and whether they are
// the whole burst, of one key, and MinRow at least. It leaves lone packets to those.
func likeFirst(ps []Packet, d Direction) (n int, alike bool) {
	if len(ps) < 2 {
		return 0, false
	}
	return likeFirstMany(ps, d)
}

func likeFirstMany(ps []Packet, d Direction) (n int, alike bool) {
	var s shape
	if !s.of(&ps[0], d) {
		return 0, false
	}
	switch s.key.spec.form {
	case NonceXOR:
		n = s.xorNonces(ps)
	case NonceExplicit:
		n = s.explicitNonces(ps, d)
	default:
		n = s.noNonces(ps)
	}
	return n, n == len(ps) && n >= MinRow && !s.mixed
}

// of makes s the shape of a packet, unless something of it that its followers
// share is wrong or not for the quick checks.
func (s *shape) of(p *Packet, d Direction) bool {
	k := p.Key
	if k == nil || k.spec.direction != d || k.closed.Load() != 0 || k.short() || !p.inFront(k) {
		return false
	}
	s.key, s.offsets, s.ranges = k, p.offsets(), p.ranges()
	s.wire, s.size = int(p.Off)+int(p.Len), int(p.Len)
	if d == Sealing {
		s.wire += int(k.spec.tag)
	} else {
		s.size -= int(k.spec.tag)
	}
	return uint(s.size) <= uint(k.maxPayload) && s.size&int(k.partial) == 0 // a negative size is large
}

// xorNonces derives the nonces of the packets in front that have the shape and
// room, and returns how many they are. The loops below differ from it in what becomes of
// the nonce alone: a call or a branch for it would cost each packet a cycle.
func (s *shape) xorNonces(ps []Packet) int {
	p, k := unsafe.SliceData(ps), s.key
	plan, kind := k.plan, k.kind()
	offsets, ranges, wire, size := s.offsets, s.ranges, s.wire, s.size
	for i := 0; ; p = p.next() {
		if p.Key != k {
			if k = p.Key; k == nil || k.plan != plan || k.kind() != kind || k.closed.Load() != 0 {
				return i
			}
			s.mixed = true
		}
		if p.offsets() != offsets || p.ranges() != ranges || len(p.Prefix) != 0 || p.spare(wire, size) < 0 {
			return i
		}
		p.xorNonce(k)
		p.Status = StatusNone
		if i++; i == len(ps) {
			return i
		}
	}
}

// explicitNonces is what xorNonces is, for nonces that travel.
func (s *shape) explicitNonces(ps []Packet, d Direction) int {
	p, k := unsafe.SliceData(ps), s.key
	plan, kind := k.plan, k.kind()
	for i := 0; ; p = p.next() {
		if p.Key != k {
			if k = p.Key; k == nil || k.plan != plan || k.kind() != kind || k.closed.Load() != 0 {
				return i
			}
			s.mixed = true
		}
		if p.offsets() != s.offsets || p.ranges() != s.ranges || len(p.Prefix) != 0 || p.spare(s.wire, s.size) < 0 {
			return i
		}
		if d == Sealing {
			p.placeNonce(k)
		} else {
			p.takeNonce(k)
		}
		p.Status = StatusNone
		if i++; i == len(ps) {
			return i
		}
	}
}

// noNonces is what xorNonces is, for packets without a nonce or with an IV, which
// is drawn later.
func (s *shape) noNonces(ps []Packet) int {
	p, k := unsafe.SliceData(ps), s.key
	plan, kind := k.plan, k.kind()
	for i := 0; ; p = p.next() {
		if p.Key != k {
			if k = p.Key; k == nil || k.plan != plan || k.kind() != kind || k.closed.Load() != 0 {
				return i
			}
			s.mixed = true
		}
		if p.offsets() != s.offsets || p.ranges() != s.ranges || len(p.Prefix) != 0 || p.spare(s.wire, s.size) < 0 {
			return i
		}
		p.Status = StatusNone
		if i++; i == len(ps) {
			return i
		}
	}
}

// xorMasks is what xorNonces is, for packets of one key that are to be masked too:
// with the first one's mask key, from a sample where the first has its.
func (s *shape) xorMasks(ps []Packet) int {
	p, k := unsafe.SliceData(ps), s.key
	mask, offsets, sampled, wire, size := p.MaskKey, s.offsets, p.sampled(), s.wire, s.size
	for i := 0; ; p = p.next() {
		if p.Key != k || p.MaskKey != mask || p.offsets() != offsets || p.sampled() != sampled {
			return i
		}
		if len(p.Prefix) != 0 || p.spare(wire, size) < 0 {
			return i
		}
		p.xorNonce(k)
		p.Status = StatusNone
		if i++; i == len(ps) {
			return i
		}
	}
}

// kind is what keys must have in common beside their plan to differ only in their bytes.
func (k *Key) kind() uint64 { return *(*uint64)(unsafe.Pointer(&k.spec)) }

var _ [8]byte = [unsafe.Sizeof(compactSpec{})]byte{}

// spare is negative when Buf ends before wire, or when there is a Plain and it
// has less than size bytes or any of them in Buf. It gathers the signs of
// differences, of which a processor takes more at a time than of branches.
func (p *Packet) spare(wire, size int) int {
	room, plain := len(p.Buf), uintptr(unsafe.Pointer(unsafe.SliceData(p.Plain)))
	if plain == 0 {
		return room - wire
	}
	from := int(plain - uintptr(unsafe.Pointer(unsafe.SliceData(p.Buf))))
	overlap := (from - room) & -(from + size) // from < room and from+size > 0
	return (room - wire) | (len(p.Plain) - size) | overlap
}
