package engine

import "github.com/sealburst/sealburst/ciphers"

// Seal protects a burst of 1 to 256 packets under keys of the Sealing direction
// and returns how many succeeded. Each packet's Status says what became of it.
// Numbers must never repeat under a key. A burst that is too long is refused
// whole.
func (e *Engine) Seal(packets []Packet) int {
	if len(packets) == 0 || len(packets) > ciphers.MaxBurst {
		return refuse(packets, ciphers.StatusBurst)
	}
	s := e.enter()
	if e.closed.Load() {
		s.leave()
		return refuse(packets, ciphers.StatusEngine)
	}
	ok := 0
	if plan := ciphers.SealBorder(packets); plan != nil {
		ok = s.seal(plan, packets, ciphers.Identity(len(packets)))
	} else {
		ok = s.grouped(packets, (*shard).seal)
	}
	s.countBurst(opSeal, packets, ok)
	s.leave()
	return ok
}

// Open authenticates and decrypts a burst of 1 to 256 packets under keys of the
// Opening direction and returns how many are authentic. The plaintext of one
// that is not is zero, and its Status StatusAuth.
func (e *Engine) Open(packets []Packet) int {
	if len(packets) == 0 || len(packets) > ciphers.MaxBurst {
		return refuse(packets, ciphers.StatusBurst)
	}
	s := e.enter()
	if e.closed.Load() {
		s.leave()
		return refuse(packets, ciphers.StatusEngine)
	}
	ok := 0
	if plan := ciphers.OpenBorder(packets); plan != nil {
		ok = s.open(plan, packets, ciphers.Identity(len(packets)))
	} else {
		ok = s.grouped(packets, (*shard).open)
	}
	s.countBurst(opOpen, packets, ok)
	s.leave()
	return ok
}

func refuse(packets []Packet, why Status) int {
	for i := range packets {
		packets[i].Status = why
	}
	return 0
}

// call runs one implementation over some packets of a burst.
type call func(s *shard, plan *ciphers.Plan, packets []Packet, index []uint8) int

func (s *shard) seal(plan *ciphers.Plan, packets []Packet, index []uint8) int {
	aead, slot := serves(plan, len(index))
	ok := aead.Seal(ciphers.Burst{Packets: packets, Index: index, Slot: slot})
	s.countCall(packets[index[0]].Key.Algorithm(), opSeal, len(index), ok)
	return ok
}

func (s *shard) open(plan *ciphers.Plan, packets []Packet, index []uint8) int {
	aead, slot := serves(plan, len(index))
	ok := aead.Open(ciphers.Burst{Packets: packets, Index: index, Slot: slot})
	s.countCall(packets[index[0]].Key.Algorithm(), opOpen, len(index), ok)
	return ok
}

// serves picks the implementation for n packets of a plan.
func serves(plan *ciphers.Plan, n int) (ciphers.AEAD, int) {
	if n <= plan.LoneMax {
		return plan.Lone, ciphers.SlotLone
	}
	return plan.Bulk, ciphers.SlotBulk
}

// grouped runs each plan's implementation once over all of its packets,
// wherever in the burst they stand.
func (s *shard) grouped(packets []Packet, run call) (ok int) {
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
		ok += run(s, plan, packets, index)
		rest = others
	}
	return ok
}
