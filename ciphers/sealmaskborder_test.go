package ciphers

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSealMaskBorderIsBothBorders makes bursts of packets that are alike but for
// one, and compares with what the two borders do one after the other.
func TestSealMaskBorderIsBothBorders(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	keys, masks := burstKeys(t, Sealing), maskKeys(t)
	whole := 0
	for range 50_000 {
		seed, room := rng.Uint64(), 5*MaskSize
		if rng.IntN(8) == 0 {
			room = rng.IntN(5 * MaskSize)
		}
		arena, other := pattern(400), pattern(400)
		ps, qs := maskedBurst(seed, arena, keys, masks), maskedBurst(seed, other, keys, masks)
		dst, want := pattern(room), pattern(room)
		index, seal, mask, alike := SealMaskBorder(dst, ps, make([]uint8, MaxBurst))
		if alike {
			whole++
		}
		if alike != alikeWithMasks(dst, maskedBurst(seed, pattern(400), keys, masks)) || alike && !areAlike(ps) {
			t.Fatal("alike, but not so")
		}
		sealPlan, _ := SealBorder(qs)
		wantIndex, maskPlan := MaskBorder(want, qs, make([]uint8, MaxBurst))
		if seal != sealPlan || mask != maskPlan || !slices.Equal(index, wantIndex) {
			t.Fatalf("%v, %p and %p; the two borders say %v, %p and %p", index, seal, mask, wantIndex, sealPlan, maskPlan)
		}
		sameVerdicts(t, ps, qs)
		if !bytes.Equal(arena, other) || !bytes.Equal(dst, want) {
			t.Fatal("buffers or masks differ")
		}
	}
	if whole < 500 {
		t.Errorf("only %d bursts were taken as a whole", whole)
	}
}

// areAlike reports what SealMaskBorder says of bursts that it takes as a whole.
func areAlike(ps []Packet) bool {
	for i := range ps {
		p, first := &ps[i], &ps[0]
		if p.Key != first.Key || p.MaskKey != first.MaskKey || p.Len != first.Len || p.Off != first.Off || p.SampleOff != first.SampleOff ||
			p.AADOff != first.AADOff || p.AADLen != first.AADLen || p.IVOff != first.IVOff || len(p.Prefix) != 0 {
			return false
		}
	}
	return true
}

// maskKeys share a plan, all but the last three.
func maskKeys(t *testing.T) []*Key {
	good, other := mustMaskKey(t), mustMaskKey(t)
	spec := KeySpec{Algorithm: MaskAES128, Key: make([]byte, 16)}
	kin, closed, aead := mustKeyOf(t, spec, good.plan), mustKeyOf(t, spec, good.plan), mustKey(t, xor(Sealing))
	closed.Close()
	return []*Key{good, kin, closed, other, aead, nil}
}

// maskedBurst is likeBurst with mask keys and samples, of which one packet may
// have another.
func maskedBurst(seed uint64, arena []byte, keys, masks []*Key) []Packet {
	ps := likeBurst(seed, arena, keys)
	rng := rand.New(rand.NewPCG(seed, 1))
	key, sample := masks[0], uint16(rng.IntN(100))
	if rng.IntN(8) == 0 {
		key = masks[rng.IntN(len(masks))]
	}
	for i := range ps {
		ps[i].MaskKey, ps[i].SampleOff = key, sample
	}
	p := &ps[rng.IntN(len(ps))]
	switch rng.IntN(4) {
	case 0:
		p.MaskKey = masks[rng.IntN(len(masks))]
	case 1:
		p.SampleOff = uint16(rng.IntN(400))
	}
	return ps
}

// TestSampleBehindTheTag has samples that end with the tag, where Buf ends too, and
// a byte behind it.
func TestSampleBehindTheTag(t *testing.T) {
	k, mask := mustKey(t, xor(Sealing)), mustMaskKey(t)
	for sample, want := range map[uint16]Status{30 + MaxTag - MaskSize: StatusNone, 31 + MaxTag - MaskSize: StatusSample} {
		ps, dst := make([]Packet, 3), make([]byte, 3*MaskSize)
		for i := range ps {
			ps[i] = Packet{Buf: make([]byte, 30+MaxTag), Key: k, MaskKey: mask, Len: 30, SampleOff: sample}
		}
		if SealMaskBorder(dst, ps, make([]uint8, MaxBurst)); ps[2].Status != want {
			t.Errorf("sample at %d of %d bytes: %v, want %v", sample, len(ps[2].Buf), ps[2].Status, want)
		}
	}
}

// TestMaskedShapeEndsBeforeStatus has packets that differ in nothing but what lies
// behind SampleOff, and so are alike.
func TestMaskedShapeEndsBeforeStatus(t *testing.T) {
	k, mask := mustKey(t, xor(Sealing)), mustMaskKey(t)
	ps, dst := make([]Packet, 4), make([]byte, 4*MaskSize)
	for i := range ps {
		ps[i] = Packet{Buf: make([]byte, 30+MaxTag), Key: k, MaskKey: mask, Len: 30, Status: Status(i), Memory: Memory(i & 1)}
	}
	if _, _, _, alike := SealMaskBorder(dst, ps, make([]uint8, MaxBurst)); !alike {
		t.Error("not alike")
	}
}
