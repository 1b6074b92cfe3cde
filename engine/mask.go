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
	// A Burst is copied into the call. It is made first, so that its stores are over by then.
	b := ciphers.Burst{Packets: packets, Index: ciphers.Identity(len(packets))}
	index, plan := ciphers.MaskBorder(dst, packets, s.masks[:])
	if plan == nil || !e.made(packets[0].MaskKey) {
		return s.runMask(dst, packets, sealMask{index: index, mask: plan})
	}
	plan.Mask.Mask(dst, b)
	s.countCall(packets[0].MaskKey.Algorithm(), opMask, len(packets), len(packets))
	s.countBurst(opMask, len(packets), len(packets))
	s.leave()
	return len(packets)
}

// runMask makes the masks of what was admitted, and gives the shard back.
func (s *shard) runMask(dst []byte, packets []Packet, w sealMask) int {
	if len(w.index) != len(packets) {
		s.countMaskCauses(packets, w.index)
	}
	ok := s.maskRoute(dst, packets, w.index, w.mask)
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
	b := ciphers.Burst{Packets: packets, Index: ciphers.Identity(len(packets))} // first, as in Mask
	index, seal, mask := ciphers.SealMaskBorder(dst, packets, s.masks[:])
	if mask != nil && e.made(packets[0].MaskKey) {
		if fused := e.fused(seal, packets); fused != nil {
			ok := fused.SealMask(dst, b)
			s.endFused(packets, ok)
			return ok
		}
	}
	return s.runSealMask(dst, packets, e.withOwnMasks(packets, sealMask{index, seal, mask}))
}

// sealMask is what the border said of a burst to be sealed, masked, or both.
type sealMask struct {
	index      []uint8       // the packets that are valid
	seal, mask *ciphers.Plan // of all packets, or nil
}

// admitSealMask checks a burst; the positions of the valid packets go to index.
func (s *shard) admitSealMask(dst []byte, packets []Packet, index []uint8) sealMask {
	index, seal, mask := ciphers.SealMaskBorder(dst, packets, index)
	return s.engine.withOwnMasks(packets, sealMask{index, seal, mask})
}

// withOwnMasks refuses packets whose mask keys are not this engine's.
func (e *Engine) withOwnMasks(packets []Packet, w sealMask) sealMask {
	if w.mask == nil || !e.made(packets[0].MaskKey) {
		e.refuseMasks(packets, w.index)
		w.seal = nil
	}
	return w
}

// runSealMask seals and masks what was admitted, and gives the shard back.
func (s *shard) runSealMask(dst []byte, packets []Packet, w sealMask) (ok int) {
	if fused := s.engine.fused(w.seal, packets); fused != nil {
		ok = fused.SealMask(dst, ciphers.Burst{Packets: packets, Index: ciphers.Identity(len(packets))})
		s.endFused(packets, ok)
		return ok
	}
	ok = s.route(opSeal, packets, w.seal)
	s.maskSealed(dst, packets, w.index, w.mask)
	s.end(opSeal, packets, ok)
	return ok
}

// endFused counts a burst that was sealed and masked in one pass, and gives the
// shard back.
func (s *shard) endFused(packets []Packet, ok int) {
	s.countCall(packets[0].Key.Algorithm(), opSeal, len(packets), ok)
	s.countCall(packets[0].MaskKey.Algorithm(), opMask, len(packets), ok)
	s.end(opSeal, packets, ok)
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

// fused finds the implementation that seals and masks in one pass a burst that
// admitSealMask found to share seal, or nil.
func (e *Engine) fused(seal *ciphers.Plan, packets []Packet) ciphers.MaskSealer {
	if seal == nil || len(packets) <= seal.LoneMax || !e.made(packets[0].Key) {
		return nil
	}
	return e.maskSealers[packets[0].Key.Algorithm()][maskNumber(packets[0].MaskKey.Algorithm())]
}

// maskSealers are the implementations that seal and mask in one pass, by the AEAD
// and by the mask's number.
type maskSealers [ciphers.NumAlgorithms][numMasks]ciphers.MaskSealer

const numMasks = int(ciphers.MaskChaCha20-ciphers.MaskAES128) + 1

// maskNumber is the place of a mask's algorithm among them. The remainder changes
// none, and spares a look at the bounds.
func maskNumber(alg Algorithm) int { return int(alg-ciphers.MaskAES128) % numMasks }

// pairMasks finds which of the chosen implementations seal and mask in one pass.
func (e *Engine) pairMasks() {
	for alg, seal := range e.plans {
		if seal == nil || seal.Bulk == nil {
			continue
		}
		sealer, can := seal.Bulk.(ciphers.MaskSealer)
		for mask := ciphers.MaskAES128; can && mask <= ciphers.MaskChaCha20; mask++ {
			if plan := e.plans[mask]; plan != nil && sealer.MasksWith(plan.Mask) {
				e.maskSealers[alg][maskNumber(mask)] = sealer
			}
		}
	}
}

// maskSealed masks those of the valid packets that were sealed, and zeroes the
// masks of the others.
func (s *shard) maskSealed(dst []byte, packets []Packet, valid []uint8, shared *ciphers.Plan) {
	sealed := s.masks[:0] // which valid may lie in already
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
