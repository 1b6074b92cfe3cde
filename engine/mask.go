package engine

import "github.com/sealburst/sealburst/ciphers"

// Mask makes the header-protection masks of a burst of 1 to 256 packets, 16
// bytes each, packet i's at dst[16*i:], and returns how many it made. A packet
// that fails has its Status set and a zero mask; the Status of the others stays
// as it is, so that masking after Seal hides no failure.
func (e *Engine) Mask(dst []byte, packets []Packet) int {
	if len(packets) == 0 || len(packets) > ciphers.MaxBurst {
		return refuse(packets, ciphers.StatusBurst)
	}
	s := e.enter()
	if e.closed.Load() {
		s.leave()
		return refuse(packets, ciphers.StatusEngine)
	}
	index, plan := ciphers.MaskBorder(dst, packets, s.masks[:])
	if plan != nil {
		s.mask(dst, plan, packets, index)
	} else {
		s.maskGrouped(dst, packets, index)
	}
	s.countBurst(opMask, packets, len(index))
	s.leave()
	return len(index)
}

func (s *shard) mask(dst []byte, plan *ciphers.Plan, packets []Packet, index []uint8) {
	plan.Mask.Mask(dst, ciphers.Burst{Packets: packets, Index: index, Slot: ciphers.SlotBulk})
	s.countCall(packets[index[0]].MaskKey.Algorithm(), opMask, len(index), len(index))
}

// maskGrouped runs each mask plan once over all of its packets among valid.
func (s *shard) maskGrouped(dst []byte, packets []Packet, valid []uint8) {
	rest := append(s.rest[:0], valid...)
	for len(rest) > 0 {
		plan := packets[rest[0]].MaskKey.Plan()
		index, others := s.index[:0], rest[:0]
		for _, i := range rest {
			if packets[i].MaskKey.Plan() == plan {
				index = append(index, i)
			} else {
				others = append(others, i)
			}
		}
		s.mask(dst, plan, packets, index)
		rest = others
	}
}

// SealMask seals as Seal does and makes the masks of what it sealed as Mask
// does, in one pass where the implementation can. A packet whose mask cannot be
// made is not sealed. It returns how many were sealed.
func (e *Engine) SealMask(dst []byte, packets []Packet) int {
	if len(packets) == 0 || len(packets) > ciphers.MaxBurst {
		return refuse(packets, ciphers.StatusBurst)
	}
	s := e.enter()
	if e.closed.Load() {
		s.leave()
		return refuse(packets, ciphers.StatusEngine)
	}
	ok := s.sealMask(dst, packets)
	s.countBurst(opSeal, packets, ok)
	s.leave()
	return ok
}

func (s *shard) sealMask(dst []byte, packets []Packet) int {
	sealPlan := ciphers.SealBorder(packets)
	index, maskPlan := ciphers.MaskBorder(dst, packets, s.masks[:])
	if sealPlan != nil && maskPlan != nil {
		return s.sealMaskOne(dst, sealPlan, maskPlan, packets, index)
	}
	ok := s.grouped(packets, (*shard).seal)
	valid := index[:0]
	for _, i := range index {
		if packets[i].Status == ciphers.StatusOK {
			valid = append(valid, i)
		} else {
			clear(dst[ciphers.MaskSize*int(i):][:ciphers.MaskSize])
		}
	}
	s.maskGrouped(dst, packets, valid)
	return ok
}

// sealMaskOne serves a burst of valid packets that share both plans.
func (s *shard) sealMaskOne(dst []byte, sealPlan, maskPlan *ciphers.Plan, packets []Packet, index []uint8) int {
	aead, slot := serves(sealPlan, len(packets))
	fused, can := aead.(ciphers.MaskSealer)
	if !can || !fused.MasksWith(maskPlan.Mask) {
		ok := s.seal(sealPlan, packets, index)
		s.mask(dst, maskPlan, packets, index)
		return ok
	}
	ok := fused.SealMask(dst, ciphers.Burst{Packets: packets, Index: index, Slot: slot})
	s.countCall(packets[0].Key.Algorithm(), opSeal, len(index), ok)
	s.countCall(packets[0].MaskKey.Algorithm(), opMask, len(index), len(index))
	return ok
}
