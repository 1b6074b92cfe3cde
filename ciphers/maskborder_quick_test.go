package ciphers

import "testing"

// TestMaskQuick gives packets in front, in the middle and at the end what the
// quick check must not accept, under keys that have one plan.
func TestMaskQuick(t *testing.T) {
	good, dst := mustMaskKey(t), make([]byte, 3*MaskSize)
	plan := good.Plan()
	spec := KeySpec{Algorithm: MaskAES128, Key: make([]byte, 16)}
	kin, closed := mustKeyOf(t, spec, plan), mustKeyOf(t, spec, plan)
	closed.Close()
	aead := mustKey(t, xor(Sealing))
	aead.plan = plan
	other := mustMaskKey(t)
	for name, change := range map[string]func(p *Packet){
		"no key":         func(p *Packet) { p.MaskKey = nil },
		"zero key":       func(p *Packet) { p.MaskKey = &Key{plan: plan} },
		"another plan":   func(p *Packet) { p.MaskKey = other },
		"AEAD key":       func(p *Packet) { p.MaskKey = aead },
		"closed key":     func(p *Packet) { p.MaskKey = closed },
		"sample too far": func(p *Packet) { p.SampleOff = 25 },
	} {
		for at := range 3 {
			ps := []Packet{masking(good), masking(good), masking(good)}
			change(&ps[at])
			if maskQuick(dst, ps) != nil {
				t.Errorf("%s at %d: accepted", name, at)
			}
			if ps[(at+1)%3].MaskKey = kin; maskQuick(dst, ps) != nil {
				t.Errorf("%s at %d, beside another key: accepted", name, at)
			}
		}
		ps := []Packet{masking(good), masking(good)}
		change(&ps[0])
		change(&ps[1])
		if got := maskQuick(dst, ps); got != nil && got != other.plan {
			t.Errorf("%s throughout: accepted", name)
		}
	}
	if maskQuick(dst, []Packet{masking(good), masking(kin), masking(good)}) != plan {
		t.Error("good packets under two keys are not accepted")
	}
	ps := []Packet{masking(good), masking(good)}
	if maskQuick(dst[:32], ps) != plan {
		t.Error("good packets are not accepted")
	}
	if maskQuick(dst[:31], ps) != nil {
		t.Error("masks without room are accepted")
	}
	if maskQuick(dst, nil) != nil {
		t.Error("no packets are accepted")
	}
}
