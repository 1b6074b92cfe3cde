package ciphers

import (
	"bytes"
	"slices"
	"testing"
)

func masking(k *Key) Packet {
	return Packet{Buf: make([]byte, 40), MaskKey: k, SampleOff: 24, Status: StatusOK}
}

func TestMaskBorder(t *testing.T) {
	k, aead, closed := mustMaskKey(t), mustKey(t, xor(Sealing)), mustMaskKey(t)
	closed.Close()
	for _, c := range []borderCase{
		{"as it is", func(p *Packet) {}, StatusOK},
		{"after a failed opening", func(p *Packet) { p.Status = StatusAuth }, StatusAuth},
		{"no key", func(p *Packet) { p.MaskKey = nil }, StatusKey},
		{"zero key", func(p *Packet) { p.MaskKey = new(Key) }, StatusKey},
		{"AEAD key", func(p *Packet) { p.MaskKey = aead }, StatusKey},
		{"closed key", func(p *Packet) { p.MaskKey = closed }, StatusKeyClosed},
		{"sample over Buf's end", func(p *Packet) { p.SampleOff = 25 }, StatusSample},
		{"sample at 65535", func(p *Packet) { p.SampleOff = 65535 }, StatusSample},
		{"Buf shorter than a sample", func(p *Packet) { p.Buf = p.Buf[:15]; p.SampleOff = 0 }, StatusSample},
		{"nil Buf", func(p *Packet) { p.Buf = nil; p.SampleOff = 0 }, StatusSample},
	} {
		p := masking(k)
		c.change(&p)
		ps := []Packet{masking(k), p, masking(k)}
		dst := pattern(3 * MaskSize)
		index, plan := MaskBorder(dst, ps, make([]uint8, 0, MaxBurst))
		valid := c.want == StatusOK || c.want == StatusAuth
		want, wantDst := []uint8{0, 1, 2}, pattern(3*MaskSize)
		if !valid {
			want = []uint8{0, 2}
			clear(wantDst[MaskSize:][:MaskSize])
		}
		if ps[1].Status != c.want || ps[0].Status != StatusOK || ps[2].Status != StatusOK {
			t.Errorf("%s: statuses %v %v %v, want %v in the middle", c.name, ps[0].Status, ps[1].Status, ps[2].Status, c.want)
		}
		if !slices.Equal(index, want) || valid != (plan == k.Plan()) {
			t.Errorf("%s: index %v, plan %v", c.name, index, plan)
		}
		if !bytes.Equal(dst, wantDst) {
			t.Errorf("%s: destination %x, want %x", c.name, dst, wantDst)
		}
	}
}

// TestMaskBorderWantsRoom gives too little room for the last of three masks.
func TestMaskBorderWantsRoom(t *testing.T) {
	k := mustMaskKey(t)
	for room := range 3*MaskSize + 1 {
		ps := []Packet{masking(k), masking(k), masking(k)}
		dst := pattern(room)
		index, _ := MaskBorder(dst, ps, make([]uint8, 0, MaxBurst))
		for i := range ps {
			want := StatusOK
			if (i+1)*MaskSize > room {
				want = StatusMaskRoom
			}
			if ps[i].Status != want {
				t.Errorf("room %d: packet %d has status %v, want %v", room, i, ps[i].Status, want)
			}
		}
		if len(index) != room/MaskSize || !bytes.Equal(dst, pattern(room)) {
			t.Errorf("room %d: index %v, destination %x", room, index, dst)
		}
	}
}

func TestMaskBorderSharedPlan(t *testing.T) {
	a, b := mustMaskKey(t), mustMaskKey(t)
	mixed := []Packet{masking(a), masking(b), masking(b)}
	if _, plan := MaskBorder(make([]byte, 48), mixed, make([]uint8, 0, 3)); plan != nil {
		t.Errorf("two plans: plan %p", plan)
	}
	c := mustKeyOf(t, KeySpec{Algorithm: MaskAES128, Key: make([]byte, 16)}, a.Plan())
	same := []Packet{masking(a), masking(c)}
	if _, plan := MaskBorder(make([]byte, 32), same, make([]uint8, 0, 2)); plan != a.Plan() {
		t.Errorf("one plan: plan %p, want %p", plan, a.Plan())
	}
	if index, plan := MaskBorder(nil, nil, nil); len(index) != 0 || plan != nil {
		t.Errorf("no packets: index %v, plan %p", index, plan)
	}
}

// TestMaskBorderTakesAFullBurst has positions up to 255.
func TestMaskBorderTakesAFullBurst(t *testing.T) {
	k := mustMaskKey(t)
	ps := slices.Repeat([]Packet{masking(k)}, MaxBurst)
	index, plan := MaskBorder(make([]byte, MaxBurst*MaskSize), ps, make([]uint8, 0, MaxBurst))
	if !slices.Equal(index, Identity(MaxBurst)) || plan != k.Plan() {
		t.Errorf("%d positions, plan %p", len(index), plan)
	}
}
