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
	index, plan := ciphers.MaskBorder(dst, packets, s.masks[:])
	if plan == nil {
		return s.runMask(dst, packets, sealMask{index: index})
	}
	ok := s.maskWhole(dst, plan, packets)
	s.countBurst(opMask, len(packets), ok)
	s.leave()
	return ok
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
		return s.maskWhole(dst, shared, packets)
	}
	return s.maskGrouped(dst, packets, valid)
}

// maskWhole makes the masks of a burst all of which is valid and shares the plan.
func (s *shard) maskWhole(dst []byte, plan *ciphers.Plan, packets []Packet) int {
	alg := packets[0].MaskKey.Algorithm()
	row := s.engine.rowMaskers[alg]
	if row == nil || s.engine.plans[alg] != plan {
		return s.mask(dst, plan, packets, ciphers.Identity(len(packets)))
	}
	row.MaskRow(dst, packets)
	s.countCall(alg, opMask, len(packets), len(packets))
	return len(packets)
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
	index, seal, mask, alike := ciphers.SealMaskBorder(dst, packets, s.masks[:])
	if mask != nil && e.made(packets[0].MaskKey) {
		if fused := e.fused(seal, packets); fused != nil {
			return s.sealMaskFused(fused, dst, packets, alike)
		}
	}
	return s.runSealMask(dst, packets, e.withOwnMasks(packets, sealMask{index, seal, mask, alike}))
}

// sealMask is what the border said of a burst to be sealed, masked, or both.
type sealMask struct {
	index      []uint8       // the packets that are valid
	seal, mask *ciphers.Plan // of all packets, or nil
	alike      bool          // all packets are
}

// admitSealMask checks a burst; the positions of the valid packets go to index.
func (s *shard) admitSealMask(dst []byte, packets []Packet, index []uint8) sealMask {
	index, seal, mask, alike := ciphers.SealMaskBorder(dst, packets, index)
	return s.engine.withOwnMasks(packets, sealMask{index, seal, mask, alike})
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
		return s.sealMaskFused(fused, dst, packets, w.alike)
	}
	ok = s.route(opSeal, packets, w.seal, w.alike)
	s.maskSealed(dst, packets, w.index, w.mask)
	s.end(opSeal, packets, ok)
	return ok
}

// sealMaskFused seals and masks in one pass a burst all of which is valid, and gives
// the shard back.
func (s *shard) sealMaskFused(fused ciphers.MaskSealer, dst []byte, packets []Packet, alike bool) int {
	ok := fused.SealMask(dst, packets, alike)
	if ok != len(packets) {
		clearUnsealed(dst, packets)
	}
	s.countCall(packets[0].Key.Algorithm(), opSeal, len(packets), ok)
	s.countCall(packets[0].MaskKey.Algorithm(), opMask, len(packets), ok)
	s.end(opSeal, packets, ok)
	return ok
}

// clearUnsealed zeroes the masks of the packets that were not sealed.
func clearUnsealed(dst []byte, packets []Packet) {
	for i := range packets {
		if packets[i].Status != ciphers.StatusOK {
			clear(dst[ciphers.MaskSize*i:][:ciphers.MaskSize])
		}
	}
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

// pairMasks finds which of the chosen implementations of masks take rows, and which
// of those that seal make the masks in one pass.
func (e *Engine) pairMasks() {
	for mask := ciphers.MaskAES128; mask <= ciphers.MaskChaCha20; mask++ {
		plan := e.plans[mask]
		if plan == nil {
			continue
		}
		e.rowMaskers[mask], _ = plan.Mask.(ciphers.RowMasker)
		for alg, seal := range e.plans {
			if seal == nil || seal.Bulk == nil {
				continue
			}
			if sealer, can := seal.Bulk.(ciphers.MaskSealer); can && sealer.MasksWith(plan.Mask) {
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
