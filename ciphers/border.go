package ciphers

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The border checks what callers hand in, once, and derives nonces. Nothing
// behind it checks again.

// SealBorder checks every packet of a burst for sealing, derives or draws its
// nonce, writes an explicit one into Buf, and leaves StatusNone on the valid packets
// and a reason on the others. It returns the plan of all packets when all are
// valid and share one, and nil otherwise. alike means that they are a row as RowAEAD
// has it, of MinRow at least.
func SealBorder(ps []Packet) (shared *Plan, alike bool) {
	shared = firstPlan(ps)
	i, alike := likeFirst(ps, Sealing)
	draw := i > 0 && ps[0].wantsIV()
	for i < len(ps) {
		p := &ps[i]
		if n := sealQuick(ps[i:], p.Key); n > 0 {
			i += n
		} else {
			p.Status = p.sealCheck()
			draw = draw || p.wantsIV()
			i++
		}
		if p.Status != StatusNone || p.Key.plan != shared {
			shared = nil
		}
	}
	if draw {
		drawIVs(ps)
	}
	return shared, alike
}

// OpenBorder does for opening what SealBorder does for sealing; an explicit
// nonce is read from Buf.
func OpenBorder(ps []Packet) (shared *Plan, alike bool) {
	shared = firstPlan(ps)
	i, alike := likeFirst(ps, Opening)
	for i < len(ps) {
		p := &ps[i]
		if n := openQuick(ps[i:], p.Key); n > 0 {
			i += n
		} else {
			p.Status = p.openCheck()
			i++
		}
		if p.Status != StatusNone || p.Key.plan != shared {
			shared = nil
		}
	}
	return shared, alike
}

// firstPlan is the plan of the first packet, which all others may share.
func firstPlan(ps []Packet) *Plan {
	if len(ps) == 0 || ps[0].Key == nil {
		return nil
	}
	return ps[0].Key.plan
}

func (p *Packet) sealCheck() Status {
	k := p.Key
	if s := k.usable(Sealing); s != StatusNone {
		return s
	}
	size := uint64(len(p.Buf))
	end := uint64(p.Off) + uint64(p.Len)
	wire := end + uint64(k.spec.tag)
	switch {
	case p.Len > k.maxPayload:
		return StatusTooLong
	case p.Plain == nil && end > size:
		return StatusPayload
	case wire > size:
		return StatusTailroom
	case p.Len&uint32(k.partial) != 0:
		return StatusBlock
	}
	if s := p.aadCheck(wire, size); s != StatusNone {
		return s
	}
	if p.Plain != nil {
		if s := p.plainCheck(uint64(p.Len), wire); s != StatusNone {
			return s
		}
	}
	if k.spec.form == NonceXOR {
		return p.xorCheck(k)
	}
	if s := p.ivCheck(p.Len, wire); s != StatusNone {
		return s
	}
	if k.spec.form == NonceExplicit {
		p.placeNonce(k)
	}
	return StatusNone
}

func (p *Packet) openCheck() Status {
	k := p.Key
	if s := k.usable(Opening); s != StatusNone {
		return s
	}
	size := uint64(len(p.Buf))
	wire := uint64(p.Off) + uint64(p.Len)
	tag := uint32(k.spec.tag)
	switch {
	case wire > size || p.Len < tag:
		return StatusPayload
	case p.Len-tag > k.maxPayload:
		return StatusTooLong
	case (p.Len-tag)&uint32(k.partial) != 0:
		return StatusBlock
	}
	if s := p.aadCheck(wire, size); s != StatusNone {
		return s
	}
	if p.Plain != nil {
		if s := p.plainCheck(uint64(p.Len-tag), wire); s != StatusNone {
			return s
		}
		if p.plainMeetsAAD(p.Len - tag) {
			return StatusOverlap
		}
	}
	if k.spec.form == NonceXOR {
		return p.xorCheck(k)
	}
	if p.ivOutside(k.explicit, wire) {
		return StatusIV
	}
	if k.spec.form == NonceExplicit {
		p.takeNonce(k)
	} else if p.Plain != nil && overlap(p.Plain[:p.Len-tag], p.IV()) {
		return StatusOverlap
	}
	return StatusNone
}

func (k *Key) usable(d Direction) Status {
	switch {
	case k == nil:
		return StatusKey
	case k.closed.Load() != 0:
		return StatusKeyClosed
	case k.spec.direction == d:
		return StatusNone
	case k.spec.direction == 0:
		return StatusKey
	}
	return StatusDirection
}

// aadCheck keeps the range of associated data inside Buf, and both it and Prefix
// away from what sealing and opening in place write, Buf[Off:wire].
func (p *Packet) aadCheck(wire, size uint64) Status {
	from, n := uint64(p.AADOff), uint64(p.AADLen)
	if n+uint64(len(p.Prefix)) > MaxAAD {
		return StatusAAD
	}
	if n != 0 && (from+n > size || from+n > uint64(p.Off) && from < wire) {
		return StatusAAD
	}
	if len(p.Prefix) != 0 && overlap(p.Prefix, p.Buf[p.Off:wire]) {
		return StatusAAD
	}
	return StatusNone
}

// plainCheck wants n bytes in Plain that are the payload's own bytes or none of
// Buf[Off:wire].
func (p *Packet) plainCheck(n, wire uint64) Status {
	if n > uint64(len(p.Plain)) {
		return StatusPlain
	}
	sealed := p.Buf[p.Off:wire]
	if unsafe.SliceData(p.Plain) != unsafe.SliceData(sealed) && overlap(p.Plain[:n], sealed) {
		return StatusOverlap
	}
	return StatusNone
}

// plainMeetsAAD reports that opening n bytes to Plain would overwrite
// associated data, which an implementation may read afterwards.
func (p *Packet) plainMeetsAAD(n uint32) bool {
	plain := p.Plain[:n]
	return overlap(plain, p.Prefix) || p.AADLen != 0 && overlap(plain, p.Buf[p.AADOff:][:p.AADLen])
}

// overlap reports whether a and b have a byte in common.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	from := uintptr(unsafe.Pointer(unsafe.SliceData(a)))
	other := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return from < other+uintptr(len(b)) && other < from+uintptr(len(a))
}

// ivCheck keeps the explicit nonce, where the key has one, inside Buf and away
// from the payload and from the n bytes of Plain that are to be sealed.
func (p *Packet) ivCheck(n uint32, wire uint64) Status {
	if p.ivOutside(p.Key.explicit, wire) {
		return StatusIV
	}
	if p.Plain != nil && overlap(p.Plain[:n], p.IV()) {
		return StatusOverlap
	}
	return StatusNone
}

// ivOutside reports that the n bytes of an explicit nonce, where there is one,
// are not inside Buf and away from Buf[Off:wire].
func (p *Packet) ivOutside(n uint8, wire uint64) bool {
	end := uint64(p.IVOff) + uint64(n)
	return n != 0 && (end > uint64(len(p.Buf)) || end > uint64(p.Off) && uint64(p.IVOff) < wire)
}

// shortNonce is the length of the one nonce by NonceXOR that the quick checks and the
// comparing ones leave to the full ones: High may not fit.
const shortNonce = 11

// short reports whether the key has such nonces.
func (k *Key) short() bool { return k.spec.form == NonceXOR && k.spec.nonce == shortNonce }

func (p *Packet) xorCheck(k *Key) Status {
	if !k.short() {
		p.xorNonce(k)
		return StatusNone
	}
	if p.High>>24 != 0 {
		return StatusHigh
	}
	iv, nonce := &k.iv, &p.nonce
	binary.BigEndian.PutUint32(nonce[:4], binary.BigEndian.Uint32(iv[:4])^p.High<<8)
	binary.BigEndian.PutUint64(nonce[3:], binary.BigEndian.Uint64(iv[3:])^p.Number)
	return StatusNone
}

// xorNonce turns the numbers round rather than IV and nonce too.
func (p *Packet) xorNonce(k *Key) {
	iv, nonce := &k.iv, &p.nonce
	binary.LittleEndian.PutUint32(nonce[:4], binary.LittleEndian.Uint32(iv[:4])^bits.ReverseBytes32(p.High))
	binary.LittleEndian.PutUint64(nonce[4:], binary.LittleEndian.Uint64(iv[4:12])^bits.ReverseBytes64(p.Number))
}

// placeNonce makes a nonce whose explicit part is Number, and writes that into Buf.
func (p *Packet) placeNonce(k *Key) {
	number := bits.ReverseBytes64(p.Number)
	binary.LittleEndian.PutUint64(p.Buf[p.IVOff:], number)
	p.explicitNonce(k, number)
}

// takeNonce makes a nonce with the explicit part that is in Buf.
func (p *Packet) takeNonce(k *Key) {
	p.explicitNonce(k, binary.LittleEndian.Uint64(p.Buf[p.IVOff:]))
}

// explicitNonce puts an explicit part, its first byte lowest, behind the salt.
func (p *Packet) explicitNonce(k *Key, explicit uint64) {
	binary.LittleEndian.PutUint32(p.nonce[:4], binary.LittleEndian.Uint32(k.iv[:4]))
	binary.LittleEndian.PutUint64(p.nonce[k.spec.salt&7:], explicit)
}
