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
// valid and share one, and nil otherwise.
func SealBorder(ps []Packet) *Plan {
	shared := firstPlan(ps)
	draw := false
	for i := 0; i < len(ps); {
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
	return shared
}

// OpenBorder does for opening what SealBorder does for sealing; an explicit
// nonce is read from Buf.
func OpenBorder(ps []Packet) *Plan {
	shared := firstPlan(ps)
	for i := 0; i < len(ps); {
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
	return shared
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
		p.xorNonce(k)
		return StatusNone
	}
	if s := p.ivCheck(p.Len, wire); s != StatusNone {
		return s
	}
	if k.spec.form == NonceExplicit {
		p.explicitNonce(k, p.Number)
		binary.BigEndian.PutUint64(p.Buf[p.IVOff:], p.Number)
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
		p.xorNonce(k)
		return StatusNone
	}
	if p.ivOutside(k.explicit, wire) {
		return StatusIV
	}
	if k.spec.form == NonceExplicit {
		p.explicitNonce(k, binary.BigEndian.Uint64(p.Buf[p.IVOff:]))
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

// xorNonce turns the numbers round rather than IV and nonce too.
func (p *Packet) xorNonce(k *Key) {
	iv, nonce := &k.iv, &p.nonce
	binary.LittleEndian.PutUint32(nonce[:4], binary.LittleEndian.Uint32(iv[:4])^bits.ReverseBytes32(p.High))
	binary.LittleEndian.PutUint64(nonce[4:], binary.LittleEndian.Uint64(iv[4:12])^bits.ReverseBytes64(p.Number))
}

func (p *Packet) explicitNonce(k *Key, explicit uint64) {
	copy(p.nonce[:4], k.iv[:4])
	binary.BigEndian.PutUint64(p.nonce[k.spec.salt&7:], explicit)
}

// MaskBorder checks every packet of a burst for masking. Status takes the reason
// for a packet that fails and stays as it is otherwise, so that masking after
// sealing hides no failure. dst needs MaskSize bytes for each packet, at MaskSize
// times its position; a failed packet's are zeroed. The positions of the valid
// packets go to index, which has room, and are returned with the plan that all
// packets share when all are valid.
func MaskBorder(dst []byte, ps []Packet, index []uint8) ([]uint8, *Plan) {
	if n := maskQuick(ps); n == len(ps) && n != 0 && n <= len(dst)/MaskSize {
		return append(index[:0], Identity(n)...), ps[0].MaskKey.plan
	}
	var shared *Plan
	index = index[:0]
	for i := range ps {
		p := &ps[i]
		if s := p.maskCheck(len(dst) - MaskSize*i); s != StatusNone {
			p.Status = s
			if s != StatusMaskRoom {
				clear(dst[MaskSize*i:][:MaskSize])
			}
			continue
		}
		if plan := p.MaskKey.plan; len(index) == 0 {
			shared = plan
		} else if plan != shared {
			shared = nil
		}
		index = append(index, uint8(i))
	}
	if len(index) != len(ps) {
		shared = nil
	}
	return index, shared
}

func (p *Packet) maskCheck(room int) Status {
	k := p.MaskKey
	switch {
	case room < MaskSize:
		return StatusMaskRoom
	case k == nil || k.spec.algorithm == 0 || k.spec.direction != 0: // AEAD keys have a direction
		return StatusKey
	case k.closed.Load() != 0:
		return StatusKeyClosed
	case uint64(p.SampleOff)+MaskSize > uint64(len(p.Buf)):
		return StatusSample
	}
	return StatusNone
}
