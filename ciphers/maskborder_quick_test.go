package ciphers

import "testing"

// TestMaskQuick gives packets in front, in the middle and at the end what the
// quick check must not accept, under keys that have one plan.
func TestMaskQuick(t *testing.T) {
	good := mustMaskKey(t)
	plan := good.Plan()
	closed := mustKeyOf(t, KeySpec{Algorithm: MaskAES128, Key: make([]byte, 16)}, plan)
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
			if n := maskQuick(ps); n > at && !(at == 0 && name == "another plan") {
				t.Errorf("%s at %d: accepts %d", name, at, n)
			}
		}
	}
	if n := maskQuick([]Packet{masking(good), masking(good)}); n != 2 {
		t.Errorf("accepts %d of 2", n)
	}
}
