package ciphers

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

// SealMaskBorder does what SealBorder and after it MaskBorder do. alike means that all
// packets are valid and have the keys, the lengths and the offsets of the first, with
// NonceXOR, and that none has a Prefix.
func SealMaskBorder(dst []byte, ps []Packet, index []uint8) (valid []uint8, seal, mask *Plan, alike bool) {
	if alikeWithMasks(dst, ps) {
		return Identity(len(ps)), ps[0].Key.plan, ps[0].MaskKey.plan, true
	}
	seal, _ = SealBorder(ps)
	valid, mask = MaskBorder(dst, ps, index)
	return valid, seal, mask, false
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
	k := ps[0].MaskKey
	if k == nil || !k.masks() || k.closed.Load() != 0 {
		return nil
	}
	room, rest := 0, ps
	for ; len(rest) >= 4; rest = rest[4:] {
		q := (*[4]Packet)(rest)
		room |= q[0].sampleRoom() | q[1].sampleRoom() | q[2].sampleRoom() | q[3].sampleRoom()
		if q[0].MaskKey != k || q[1].MaskKey != k || q[2].MaskKey != k || q[3].MaskKey != k {
			return maskMixed(ps, k.plan)
		}
	}
	for i := range rest {
		room |= rest[i].sampleRoom()
		if rest[i].MaskKey != k {
			return maskMixed(ps, k.plan)
		}
	}
	if room < 0 {
		return nil
	}
	return k.plan
}

// sampleRoom is negative when the sample does not end in Buf. Signs are gathered,
// since a processor takes more differences at a time than branches.
func (p *Packet) sampleRoom() int { return len(p.Buf) - MaskSize - int(p.SampleOff) }

// maskMixed is maskQuick for several keys.
func maskMixed(ps []Packet, plan *Plan) *Plan {
	for i := range ps {
		p := &ps[i]
		k := p.MaskKey
		if k == nil || k.plan != plan || !k.masks() || k.closed.Load() != 0 || p.sampleRoom() < 0 {
			return nil
		}
	}
	return plan
}
