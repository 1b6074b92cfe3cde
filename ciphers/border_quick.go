package ciphers

import "unsafe"

// The quick checks accept what most packets are: associated data and explicit
// nonce in front of the payload, and every other buffer clear of all of Buf. They
// say nothing about what they do not accept; the full checks do. Each is one loop
// without a call, which halves the cost of the border.

// sealQuick does SealBorder's work on the packets in front that share the plan
// of a key and that the quick checks accept, and returns how many they are.
func sealQuick(ps []Packet, like *Key) int {
	if like == nil {
		return 0
	}
	p, plan := unsafe.SliceData(ps), like.plan
	for i := 0; ; p = p.next() {
		k, n := p.Key, p.Len
		if k == nil || k.plan != plan || k.spec.quick != Sealing || k.closed.Load() != 0 || n > k.maxPayload {
			return i
		}
		if !p.quickRoom(n+uint32(k.spec.tag)) || !p.inFront(k) || !p.quickPlain(n) || !p.quickPrefix() {
			return i
		}
		if k.explicit == 0 {
			p.xorNonce(k)
		} else {
			p.placeNonce(k)
		}
		p.Status = StatusNone
		if i++; i == len(ps) {
			return i
		}
	}
}

// openQuick is what sealQuick is, for OpenBorder.
func openQuick(ps []Packet, like *Key) int {
	if like == nil {
		return 0
	}
	p, plan := unsafe.SliceData(ps), like.plan
	for i := 0; ; p = p.next() {
		k := p.Key
		if k == nil || k.plan != plan || k.spec.quick != Opening || k.closed.Load() != 0 {
			return i
		}
		n := p.Len - uint32(k.spec.tag) // wraps, and is too long, when Len is shorter
		if n > k.maxPayload || !p.quickRoom(p.Len) || !p.inFront(k) || !p.quickPlain(n) || !p.quickPrefix() {
			return i
		}
		if k.explicit == 0 {
			p.xorNonce(k)
		} else {
			p.takeNonce(k)
		}
		p.Status = StatusNone
		if i++; i == len(ps) {
			return i
		}
	}
}

// quickRoom wants wire bytes at Off inside Buf.
func (p *Packet) quickRoom(wire uint32) bool { return uint64(uint32(p.Off)+wire) <= uint64(len(p.Buf)) }

// inFront wants the range of associated data and the explicit nonce or IV, where
// there is one, in front of the payload.
func (p *Packet) inFront(k *Key) bool {
	off := uint32(p.Off)
	return uint32(p.AADOff)+uint32(p.AADLen) <= off && (k.explicit == 0 || uint32(p.IVOff)+uint32(k.explicit) <= off)
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
