package ciphers

import (
	"math/rand/v2"
	"testing"
)

// TestQuickChecksAcceptOnlyWhatTheFullOnesDo hands random descriptors, most of
// them nearly right, to both, and compares the nonces too.
func TestQuickChecksAcceptOnlyWhatTheFullOnesDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	arena := make([]byte, 400)
	for _, d := range []Direction{Sealing, Opening} {
		keys := quickKeys(t, d)
		const tries = 200_000
		taken := 0
		for range tries {
			p := nearlyRight(rng, arena, keys[rng.IntN(len(keys))])
			quick, full := []Packet{p}, p
			full.Status = full.check(d)
			if quickly(d)(quick, p.Key) == 0 {
				continue
			}
			taken++
			if full.Status != StatusNone || full.nonce != quick[0].nonce || quick[0].Status != StatusNone {
				t.Fatalf("quickly accepted, but the full check says %v, nonces %x and %x: %+v", full.Status, full.nonce, quick[0].nonce, p)
			}
		}
		if taken < tries/50 {
			t.Errorf("direction %d: only %d of %d accepted", d, taken, tries)
		}
	}
}

func (p *Packet) check(d Direction) Status {
	if d == Sealing {
		return p.sealCheck()
	}
	return p.openCheck()
}

func quickly(d Direction) func([]Packet, *Key) int {
	if d == Sealing {
		return sealQuick
	}
	return openQuick
}

// quickKeys are keys of a direction that the quick checks may take, and others.
func quickKeys(t *testing.T, d Direction) []*Key {
	closed := mustKey(t, xor(d))
	closed.Close()
	return []*Key{
		mustKey(t, xor(d)), mustKey(t, xor(d)), mustKey(t, xor(Sealing+Opening-d)),
		mustKey(t, explicit(d)), mustMaskKey(t), closed,
	}
}

// nearlyRight is a packet in an arena of 400 bytes whose offsets are about right.
func nearlyRight(rng *rand.Rand, arena []byte, k *Key) Packet {
	from := rng.IntN(200)
	buf := arena[from : from+rng.IntN(120)]
	p := Packet{
		Buf: buf[:len(buf):len(buf)], Key: k, Number: rng.Uint64(), High: rng.Uint32(),
		Off: uint16(rng.IntN(40)), Len: uint32(rng.IntN(90)), AADLen: uint16(rng.IntN(30)),
	}
	if rng.IntN(4) == 0 {
		p.AADOff = uint16(rng.IntN(60))
	}
	if rng.IntN(2) == 0 {
		at := rng.IntN(300)
		p.Plain = arena[at : at+rng.IntN(100)]
	}
	if rng.IntN(3) == 0 {
		at := rng.IntN(350)
		p.Prefix = arena[at : at+rng.IntN(40)]
	}
	if rng.IntN(50) == 0 {
		p.Len = 1<<32 - 1 - uint32(rng.IntN(20))
	}
	return p
}

// TestBordersTakeQuickAndFullPacketsInTurn mixes packets of both kinds, and of
// two plans.
func TestBordersTakeQuickAndFullPacketsInTurn(t *testing.T) {
	one, other := mustKey(t, xor(Sealing)), mustKeyOf(t, xor(Sealing), aeadPlan())
	behind := func(p Packet) Packet { // which the quick checks do not take
		p.Buf = pattern(70)
		p.AADOff = 57
		return p
	}
	ps := []Packet{sealing(one), behind(sealing(one)), sealing(one)}
	if SealBorder(ps) != one.plan {
		t.Error("all packets share a plan, and the border says no")
	}
	ps[2].Key = other
	if SealBorder(ps) != nil {
		t.Error("the last packet has another plan, and the border says no")
	}
	ps[2].Key, ps[1].Off = one, 65535
	if SealBorder(ps) != nil || ps[1].Status == StatusNone || ps[0].Status != StatusNone || ps[2].Status != StatusNone {
		t.Errorf("statuses %v, %v, %v", ps[0].Status, ps[1].Status, ps[2].Status)
	}
}
