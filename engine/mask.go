package engine

import "github.com/sealburst/sealburst/ciphers"

// Mask makes the header-protection masks of a burst of 1 to 256 packets, 16
// bytes each, packet i's at dst[16*i:], and returns how many it made. A packet
// that fails has its Status set and a zero mask; the Status of the others stays
// as it is, so that masking after Seal hides no failure.
func (e *Engine) Mask(dst []byte, packets []Packet) int {
	s := e.begin(packets)
	if s == nil {
		return 0
	}
	index, shared := ciphers.MaskBorder(dst, packets, s.masks[:])
	if len(index) != len(packets) {
		s.countMaskCauses(packets, index)
	}
	ok := s.maskRoute(dst, packets, index, shared)
	s.countBurst(opMask, len(packets), ok)
	s.leave()
	return ok
}

// maskRoute makes the masks of the valid packets; shared is the plan of all of
// the burst, or nil.
func (s *shard) maskRoute(dst []byte, packets []Packet, valid []uint8, shared *ciphers.Plan) int {
	if shared != nil {
		return s.mask(dst, shared, packets, valid)
	}
	return s.maskGrouped(dst, packets, valid)
}

// mask makes the masks of the packets of index, which share a plan.
func (s *shard) mask(dst []byte, plan *ciphers.Plan, packets []Packet, index []uint8) int {
	alg := packets[index[0]].MaskKey.Algorithm()
	if s.engine.plans[alg] != plan {
		clearMasks(dst, index)
		s.causes[ciphers.StatusKey] += uint64(len(index))
		return refuseForeign(packets, index)
	}
	plan.Mask.Mask(dst, ciphers.Burst{Packets: packets, Index: index})
	s.countCall(alg, opMask, len(index), len(index))
	return len(index)
}

func clearMasks(dst []byte, index []uint8) {
	for _, i := range index {
		clear(dst[ciphers.MaskSize*int(i):][:ciphers.MaskSize])
	}
}

// maskGrouped runs each mask plan once over all of its packets among valid.
func (s *shard) maskGrouped(dst []byte, packets []Packet, valid []uint8) (ok int) {
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
		ok += s.mask(dst, plan, packets, index)
		rest = others
	}
	return ok
}

// SealMask seals as Seal does and makes the masks of what it sealed as Mask
// does, in one pass where the implementation can. A packet whose mask cannot be
// made is not sealed, and the mask of one that is not sealed is zero. It returns
// how many were sealed.
func (e *Engine) SealMask(dst []byte, packets []Packet) int {
	s := e.begin(packets)
	if s == nil {
		return 0
	}
	sealPlan := ciphers.SealBorder(packets)
	index, maskPlan := ciphers.MaskBorder(dst, packets, s.masks[:])
	if maskPlan == nil || !e.made(packets[0].MaskKey) {
		e.refuseMasks(packets, index)
		sealPlan = nil
	}
	ok := 0
	if fused, b := e.fused(sealPlan, maskPlan, packets); fused != nil {
		ok = fused.SealMask(dst, b)
		s.countCall(packets[0].Key.Algorithm(), opSeal, len(packets), ok)
		s.countCall(packets[0].MaskKey.Algorithm(), opMask, len(packets), ok)
	} else {
		ok = s.route(opSeal, packets, sealPlan)
		s.maskSealed(dst, packets, index, maskPlan)
	}
	s.end(opSeal, packets, ok)
	return ok
}

// made reports whether the key is this engine's.
func (e *Engine) made(k *Key) bool { return e.plans[k.Algorithm()] == k.Plan() }

// refuseMasks refuses those of the valid packets whose mask keys another engine made.
func (e *Engine) refuseMasks(packets []Packet, valid []uint8) {
	for _, i := range valid {
		if p := &packets[i]; !e.made(p.MaskKey) {
			p.Status = ciphers.StatusKey
		}
	}
}

// fused finds the implementation that seals and masks in one pass a burst of
// valid packets that share both plans, or nil.
func (e *Engine) fused(sealPlan, maskPlan *ciphers.Plan, packets []Packet) (ciphers.MaskSealer, ciphers.Burst) {
	b := ciphers.Burst{Packets: packets, Index: ciphers.Identity(len(packets))}
	if sealPlan == nil || !e.made(packets[0].Key) {
		return nil, b
	}
	aead := sealPlan.Bulk
	if len(packets) <= sealPlan.LoneMax {
		aead, b.Slot = sealPlan.Lone, ciphers.SlotLone
	}
	if fused, can := aead.(ciphers.MaskSealer); can && fused.MasksWith(maskPlan.Mask) {
		return fused, b
	}
	return nil, b
}

// maskSealed masks those of the valid packets that were sealed, and zeroes the
// masks of the others.
func (s *shard) maskSealed(dst []byte, packets []Packet, valid []uint8, shared *ciphers.Plan) {
	sealed := valid[:0]
	for _, i := range valid {
		if packets[i].Status == ciphers.StatusOK {
			sealed = append(sealed, i)
		} else {
			clear(dst[ciphers.MaskSize*int(i):][:ciphers.MaskSize])
		}
	}
	if len(sealed) != len(packets) {
		shared = nil
	}
	s.maskRoute(dst, packets, sealed, shared)
}
