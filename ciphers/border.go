package ciphers

import (
	"encoding/binary"
	"unsafe"
)

// The border checks what callers hand in, once, and derives nonces. Nothing
// behind it checks again.

// SealBorder checks every packet of a burst for sealing, derives its nonce,
// writes an explicit one into Buf, and leaves StatusNone on the valid packets
// and a reason on the others. It returns the plan of all packets when all are
// valid and share one, and nil otherwise.
func SealBorder(ps []Packet) *Plan {
	var shared *Plan
	for i := range ps {
		p := &ps[i]
		p.Status = p.sealCheck()
		shared = merge(shared, p, i)
	}
	return shared
}

// OpenBorder does for opening what SealBorder does for sealing; an explicit
// nonce is read from Buf.
func OpenBorder(ps []Packet) *Plan {
	var shared *Plan
	for i := range ps {
		p := &ps[i]
		p.Status = p.openCheck()
		shared = merge(shared, p, i)
	}
	return shared
}

// merge carries the plan that packets 0 to i share.
func merge(shared *Plan, p *Packet, i int) *Plan {
	switch {
	case p.Status != StatusNone:
		return nil
	case i == 0 || shared == p.Key.plan:
		return p.Key.plan
	}
	return nil
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
	}
	if s := p.aadCheck(wire, size); s != StatusNone {
		return s
	}
	if p.Plain != nil {
		if s := p.plainCheck(uint64(p.Len), wire-uint64(p.Off)); s != StatusNone {
			return s
		}
	}
	if k.spec.form == NonceXOR {
		p.xorNonce(k)
		return StatusNone
	}
	if p.ivOutside(wire, size) {
		return StatusIV
	}
	p.explicitNonce(k, p.Number)
	binary.BigEndian.PutUint64(p.Buf[p.IVOff:], p.Number)
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
	}
	if s := p.aadCheck(wire, size); s != StatusNone {
		return s
	}
	if p.Plain != nil {
		if s := p.plainCheck(uint64(p.Len-tag), uint64(p.Len)); s != StatusNone {
			return s
		}
	}
	if k.spec.form == NonceXOR {
		p.xorNonce(k)
		return StatusNone
	}
	if p.ivOutside(wire, size) {
		return StatusIV
	}
	p.explicitNonce(k, binary.BigEndian.Uint64(p.Buf[p.IVOff:]))
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

// aadCheck keeps the associated data inside Buf and away from what sealing
// writes, Buf[Off:wire].
func (p *Packet) aadCheck(wire, size uint64) Status {
	from, n := uint64(p.AADOff), uint64(p.AADLen)
	if n+uint64(len(p.Prefix)) > MaxAAD {
		return StatusAAD
	}
	if n != 0 && (from+n > size || from+n > uint64(p.Off) && from < wire) {
		return StatusAAD
	}
	return StatusNone
}

// plainCheck wants n bytes in Plain that are the payload's own bytes or none of
// the wire bytes at Off.
func (p *Packet) plainCheck(n, wire uint64) Status {
	if n > uint64(len(p.Plain)) {
		return StatusPlain
	}
	if n == 0 {
		return StatusNone
	}
	plain := uintptr(unsafe.Pointer(unsafe.SliceData(p.Plain)))
	sealed := uintptr(unsafe.Pointer(unsafe.SliceData(p.Buf))) + uintptr(p.Off)
	if plain != sealed && plain < sealed+uintptr(wire) && sealed < plain+uintptr(n) {
		return StatusOverlap
	}
	return StatusNone
}

// ivOutside reports that the explicit nonce is not inside Buf and away from Buf[Off:wire].
func (p *Packet) ivOutside(wire, size uint64) bool {
	end := uint64(p.IVOff) + ExplicitSize
	return end > size || end > uint64(p.Off) && uint64(p.IVOff) < wire
}

func (p *Packet) xorNonce(k *Key) {
	iv, nonce := &k.iv, &p.nonce
	binary.BigEndian.PutUint32(nonce[:4], binary.BigEndian.Uint32(iv[:4])^p.High)
	binary.BigEndian.PutUint64(nonce[4:], binary.BigEndian.Uint64(iv[4:12])^p.Number)
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
	case k == nil || k.plan.Mask == nil:
		return StatusKey
	case k.closed.Load() != 0:
		return StatusKeyClosed
	case uint64(p.SampleOff)+MaskSize > uint64(len(p.Buf)):
		return StatusSample
	}
	return StatusNone
}
