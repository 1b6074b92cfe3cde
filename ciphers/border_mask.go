package ciphers

import "unsafe"

// MaskBorder checks every packet of a burst for masking. Status takes the reason
// for a packet that fails and stays as it is otherwise, so that masking after
// sealing hides no failure. dst needs MaskSize bytes for each packet, at MaskSize
// times its position; a failed packet's are zeroed. It returns the positions of the
// valid packets, which are not to be written and may go to index, which has room,
// with the plan that all packets share when all are valid.
func MaskBorder(dst []byte, ps []Packet, index []uint8) ([]uint8, *Plan) {
	if plan := maskQuick(dst, ps); plan != nil {
		return Identity(len(ps)), plan
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

// SealMaskBorder does what SealBorder and after it MaskBorder do.
func SealMaskBorder(dst []byte, ps []Packet, index []uint8) (valid []uint8, seal, mask *Plan) {
	if alikeWithMasks(dst, ps) {
		return Identity(len(ps)), ps[0].Key.plan, ps[0].MaskKey.plan
	}
	seal = SealBorder(ps)
	valid, mask = MaskBorder(dst, ps, index)
	return valid, seal, mask
}

// alikeWithMasks does the border's work on a burst of packets that are all like
// the first, and else reports false. A sample that ends before the tag is in Buf.
func alikeWithMasks(dst []byte, ps []Packet) bool {
	var s shape
	if len(ps) == 0 || len(dst)/MaskSize < len(ps) || !s.of(&ps[0], Sealing) || s.key.spec.form != NonceXOR {
		return false
	}
	k := ps[0].MaskKey
	if k == nil || !k.masks() || k.closed.Load() != 0 || int(ps[0].SampleOff)+MaskSize > s.wire {
		return false
	}
	return s.xorMasks(ps) == len(ps)
}

func (p *Packet) maskCheck(room int) Status {
	k := p.MaskKey
	switch {
	case room < MaskSize:
		return StatusMaskRoom
	case k == nil || !k.masks():
		return StatusKey
	case k.closed.Load() != 0:
		return StatusKeyClosed
	case uint64(p.SampleOff)+MaskSize > uint64(len(p.Buf)):
		return StatusSample
	}
	return StatusNone
}

// masks tells mask keys from AEAD keys, which have a direction.
func (k *Key) masks() bool { return k.spec.algorithm != 0 && k.spec.direction == 0 }

// maskQuick returns the plan of a burst whose packets are all valid and share it,
// and else nil. Most have one key.
func maskQuick(dst []byte, ps []Packet) *Plan {
	if len(ps) == 0 || len(dst)/MaskSize < len(ps) {
		return nil
	}
	p := unsafe.SliceData(ps)
	k := p.MaskKey
	if k == nil || !k.masks() || k.closed.Load() != 0 {
		return nil
	}
	for i := len(ps); ; p = p.next() {
		if p.MaskKey != k {
			return maskMixed(ps, k.plan)
		}
		if uint(p.SampleOff)+MaskSize > uint(len(p.Buf)) {
			return nil
		}
		if i--; i == 0 {
			return k.plan
		}
	}
}

// maskMixed is maskQuick for several keys.
func maskMixed(ps []Packet, plan *Plan) *Plan {
	for i := range ps {
		p := &ps[i]
		k := p.MaskKey
		if k == nil || k.plan != plan || !k.masks() || k.closed.Load() != 0 || uint(p.SampleOff)+MaskSize > uint(len(p.Buf)) {
			return nil
		}
	}
	return plan
}
