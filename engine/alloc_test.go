package engine

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
)

// allocates is how often f allocates.
func allocates(t *testing.T, f func()) float64 {
	t.Helper()
	if race.Uncounted {
		t.Log("allocations are not counted in this build")
		f()
		return 0
	}
	return testing.AllocsPerRun(100, f)
}

func TestBurstsAllocateNothing(t *testing.T) {
	e := portable(t)
	for _, alg := range packetAEADs() {
		seal := sealable(mustKey(t, e, specOf(alg, ciphers.Sealing)), 32)
		open := sealable(mustKey(t, e, specOf(alg, ciphers.Sealing)), 32)
		out := make([]byte, 64)
		e.Seal(open)
		openable(open, mustKey(t, e, specOf(alg, ciphers.Opening)))
		for i := range open {
			open[i].Plain = out
		}
		if n := allocates(t, func() { e.Seal(seal) }); n != 0 {
			t.Errorf("%v: Seal allocates %v times", alg, n)
		}
		if n := allocates(t, func() { e.Open(open) }); n != 0 {
			t.Errorf("%v: Open allocates %v times", alg, n)
		}
		open[7].Number++
		if n := allocates(t, func() { e.Open(open) }); n != 0 {
			t.Errorf("%v: Open of a forgery allocates %v times", alg, n)
		}
	}
}

func TestMasksAllocateNothing(t *testing.T) {
	e := portable(t)
	masks := make([]byte, 16*32)
	for alg := range protocols {
		ps := withMasks(t, e, alg, 32)
		if n := allocates(t, func() { e.Mask(masks, ps) }); n != 0 {
			t.Errorf("Mask beside %v allocates %v times", alg, n)
		}
		if n := allocates(t, func() { e.SealMask(masks, ps) }); n != 0 {
			t.Errorf("SealMask with %v allocates %v times", alg, n)
		}
	}
}

func TestMixedBurstsAllocateNothing(t *testing.T) {
	e := portable(t)
	var ps []Packet
	for alg := range protocols {
		ps = append(ps, withMasks(t, e, alg, 9)...)
	}
	ps[3].Key, ps[8].MaskKey = nil, nil
	masks := make([]byte, 16*len(ps))
	for name, f := range map[string]func(){
		"Seal": func() { e.Seal(ps) }, "Mask": func() { e.Mask(masks, ps) }, "SealMask": func() { e.SealMask(masks, ps) },
	} {
		if n := allocates(t, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func TestAEADAllocatesNothing(t *testing.T) {
	e := portable(t)
	for _, alg := range packetAEADs() {
		a, err := e.AEAD(alg, counting(alg.KeySize(), 1))
		if err != nil {
			t.Fatal(err)
		}
		nonce, plain, aad := make([]byte, 12), make([]byte, 100), make([]byte, 13)
		wire, out := make([]byte, 0, 116), make([]byte, 0, 100)
		if n := allocates(t, func() { wire = a.Seal(wire[:0], nonce, plain, aad) }); n != 0 {
			t.Errorf("%v: Seal allocates %v times", alg, n)
		}
		open := func() {
			if _, err := a.Open(out, nonce, wire, aad); err != nil {
				t.Fatal(err)
			}
		}
		if n := allocates(t, open); n != 0 {
			t.Errorf("%v: Open allocates %v times", alg, n)
		}
	}
}
