package ciphers

import "unsafe"

// The quick checks accept what most packets are: a nonce by NonceXOR,
// associated data in front of the payload, and every other buffer clear of all
// of Buf. They say nothing about what they do not accept; the full checks do.
// Each is one loop without a call, which halves the cost of the border.

// sealQuick does SealBorder's work on the packets in front that share the plan
// of a key and that the quick checks accept, and returns how many they are.
func sealQuick(ps []Packet, like *Key) int {
	if like == nil {
		return 0
	}
	plan := like.plan
	for i := range ps {
		p := &ps[i]
		k := p.Key
		if k == nil || k.plan != plan || k.spec.quick != Sealing || k.closed.Load() != 0 {
			return i
		}
		n := p.Len
		if n > k.maxPayload || !p.quick(n+uint32(k.spec.tag)) || !p.quickPlain(n) || !p.quickPrefix() {
			return i
		}
		p.xorNonce(k)
		p.Status = StatusNone
	}
	return len(ps)
}

// openQuick is what sealQuick is, for OpenBorder.
func openQuick(ps []Packet, like *Key) int {
	if like == nil {
		return 0
	}
	plan := like.plan
	for i := range ps {
		p := &ps[i]
		k := p.Key
		if k == nil || k.plan != plan || k.spec.quick != Opening || k.closed.Load() != 0 {
			return i
		}
		n := p.Len - uint32(k.spec.tag) // wraps, and is too long, when Len is shorter
		if n > k.maxPayload || !p.quick(p.Len) || !p.quickPlain(n) || !p.quickPrefix() {
			return i
		}
		p.xorNonce(k)
		p.Status = StatusNone
	}
	return len(ps)
}

// quick wants wire bytes at Off inside Buf, and the range of associated data in
// front of them.
func (p *Packet) quick(wire uint32) bool {
	off := uint32(p.Off)
	return uint64(off+wire) <= uint64(len(p.Buf)) && uint32(p.AADOff)+uint32(p.AADLen) <= off
}

// quickPlain wants n bytes in Plain, where there is one, and none of them in Buf.
func (p *Packet) quickPlain(n uint32) bool {
	return p.Plain == nil || uint64(n) <= uint64(len(p.Plain)) && apart(p.Plain, int(n), p.Buf)
}

// quickPrefix wants Prefix outside Buf, and no Plain beside it, so that these two
// need no comparison.
func (p *Packet) quickPrefix() bool {
	return len(p.Prefix) == 0 ||
		p.Plain == nil && len(p.Prefix)+int(p.AADLen) <= MaxAAD && apart(p.Prefix, len(p.Prefix), p.Buf)
}

// apart reports that the first n bytes of a are none of b's.
func apart(a []byte, n int, b []byte) bool {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
	other := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	// Differences wrap: one that is negative is large.
	return from-other >= uintptr(len(b)) && other-from >= uintptr(n)
}

// maskQuick returns how many packets in front have one plan, and samples inside
// Buf. A key that follows itself is looked at once.
func maskQuick(ps []Packet) int {
	if len(ps) == 0 || ps[0].MaskKey == nil {
		return 0
	}
	plan := ps[0].MaskKey.plan
	var good *Key
	for i := range ps {
		p := &ps[i]
		if k := p.MaskKey; k != good {
			if k == nil || k.plan != plan || k.spec.algorithm == 0 || k.spec.direction != 0 || k.closed.Load() != 0 {
				return i
			}
			good = k
		}
		if uint(p.SampleOff)+MaskSize > uint(len(p.Buf)) {
			return i
		}
	}
	return len(ps)
}
