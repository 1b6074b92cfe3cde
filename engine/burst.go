package engine

import "github.com/sealburst/sealburst/ciphers"

// Seal protects a burst of 1 to 256 packets under keys of the Sealing direction
// and returns how many succeeded. Each packet's Status says what became of it.
// Numbers must never repeat under a key. A burst that is too long is refused
// whole.
func (e *Engine) Seal(packets []Packet) int {
	s := e.begin(packets)
	if s == nil {
		return 0
	}
	shared, alike := ciphers.SealBorder(packets)
	ok := s.route(opSeal, packets, shared, alike)
	s.end(opSeal, packets, ok)
	return ok
}

// Open authenticates and decrypts a burst of 1 to 256 packets under keys of the
// Opening direction and returns how many are authentic. The plaintext of one
// that is not is zero, and its Status StatusAuth.
func (e *Engine) Open(packets []Packet) int {
	s := e.begin(packets)
	if s == nil {
		return 0
	}
	shared, alike := ciphers.OpenBorder(packets)
	ok := s.route(opOpen, packets, shared, alike)
	s.end(opOpen, packets, ok)
	return ok
}

// begin takes a shard for a burst, or refuses the burst and returns nil.
func (e *Engine) begin(packets []Packet) *shard {
	if len(packets)-1 >= ciphers.MaxBurst || len(packets) == 0 {
		refuse(packets, ciphers.StatusBurst)
		return nil
	}
	s := e.enter()
	if e.closed.Load() {
		s.leave()
		refuse(packets, ciphers.StatusEngine)
		return nil
	}
	return s
}

// end counts a burst and gives the shard back.
func (s *shard) end(op int, packets []Packet, ok int) {
	s.countBurst(op, len(packets), ok)
	if ok != len(packets) {
		s.countCauses(packets)
	}
	s.leave()
}

func refuse(packets []Packet, why Status) {
	for i := range packets {
		packets[i].Status = why
	}
}

// route hands the valid packets of a burst to the implementations of their
// plans; shared is the plan of all of them, or nil. alike is what the border said.
func (s *shard) route(op int, packets []Packet, shared *ciphers.Plan, alike bool) int {
	switch {
	case shared == nil:
		return s.grouped(op, packets)
	case alike && len(packets) > shared.LoneMax:
		return s.runRow(op, shared, packets)
	}
	return s.run(op, shared, packets, ciphers.Identity(len(packets)))
}

// runRow is run for a whole burst of packets that are alike.
func (s *shard) runRow(op int, plan *ciphers.Plan, packets []Packet) (ok int) {
	alg := packets[0].Key.Algorithm()
	row := s.engine.rows[alg]
	if row == nil || s.engine.plans[alg] != plan {
		return s.run(op, plan, packets, ciphers.Identity(len(packets)))
	}
	if op == opSeal {
		ok = row.SealRow(packets, ciphers.SlotBulk)
	} else {
		ok = row.OpenRow(packets, ciphers.SlotBulk)
	}
	s.countCall(alg, op, len(packets), ok)
	return ok
}

// run seals or opens the packets of index, which share a plan. Its arguments
// are as many as registers take.
func (s *shard) run(op int, plan *ciphers.Plan, packets []Packet, index []uint8) (ok int) {
	alg := packets[index[0]].Key.Algorithm()
	if s.engine.plans[alg] != plan {
		return refuseForeign(packets, index)
	}
	aead, slot := plan.Bulk, ciphers.SlotBulk
	if len(index) <= plan.LoneMax {
		aead, slot = plan.Lone, ciphers.SlotLone
	}
	if op == opSeal {
		ok = aead.Seal(ciphers.Burst{Packets: packets, Index: index, Slot: slot})
	} else {
		ok = aead.Open(ciphers.Burst{Packets: packets, Index: index, Slot: slot})
	}
	s.countCall(alg, op, len(index), ok)
	return ok
}

// findRows finds which of the chosen implementations take whole bursts of packets that
// are alike.
func (e *Engine) findRows() {
	for alg, plan := range e.plans {
		e.rows[alg] = rowOf(Algorithm(alg), plan)
	}
}

// rowOf is what takes rows under a plan, or nil. Algorithms of two parts have none.
func rowOf(alg Algorithm, plan *ciphers.Plan) ciphers.RowAEAD {
	if plan == nil || plan.Bulk == nil || alg.Integrity() != 0 {
		return nil
	}
	row, _ := plan.Bulk.(ciphers.RowAEAD)
	return row
}

// refuseForeign refuses packets whose keys another engine made: that engine
// would not wait for this burst before it zeroes them.
func refuseForeign(packets []Packet, index []uint8) int {
	for _, i := range index {
		packets[i].Status = ciphers.StatusKey
	}
	return 0
}

// grouped runs each plan's implementation once over all of its packets,
// wherever in the burst they stand.
func (s *shard) grouped(op int, packets []Packet) (ok int) {
	rest := s.rest[:0]
	for i := range packets {
		if packets[i].Status == ciphers.StatusNone {
			rest = append(rest, uint8(i))
		}
	}
	for len(rest) > 0 {
		plan := packets[rest[0]].Key.Plan()
		index, others := s.index[:0], rest[:0]
		for _, i := range rest {
			if packets[i].Key.Plan() == plan {
				index = append(index, i)
			} else {
				others = append(others, i)
			}
		}
		ok += s.run(op, plan, packets, index)
		rest = others
	}
	return ok
}
