package engine

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// fused is an AEAD that seals and masks in one call, with the masks of one Masker.
type fused struct {
	ciphers.AEAD
	masker ciphers.Masker
	calls  int
}

func (f *fused) MasksWith(m ciphers.Masker) bool { return m == f.masker }

func (f *fused) SealMask(dst []byte, ps []Packet, _ bool) int {
	f.calls++
	b := ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))}
	n := f.AEAD.Seal(b)
	f.masker.Mask(dst, b)
	return n
}

// rows is a Masker that counts the rows it is handed.
type rows struct {
	ciphers.Masker
	taken int
}

func (r *rows) MaskRow(dst []byte, ps []Packet) {
	r.taken++
	r.Mask(dst, ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))})
}

// protocols pair AEADs with the masks that QUIC has beside them.
var protocols = map[Algorithm]Algorithm{
	ciphers.AES128GCM: ciphers.MaskAES128, ciphers.AES256GCM: ciphers.MaskAES256,
	ciphers.AES128CCM: ciphers.MaskAES128, ciphers.ChaCha20Poly1305: ciphers.MaskChaCha20,
}

// withMasks are sealable packets, every other one under another pair of
// algorithms when mixed, the sample at the start of what is sealed.
func withMasks(t *testing.T, e *Engine, alg Algorithm, n int) []Packet {
	ps := sealable(mustKey(t, e, specOf(alg, ciphers.Sealing)), n)
	mask := mustKey(t, e, specOf(protocols[alg], 0))
	for i := range ps {
		ps[i].MaskKey, ps[i].SampleOff = mask, 24
	}
	return ps
}

func clonePackets(ps []Packet) []Packet {
	clone := append([]Packet(nil), ps...)
	for i := range clone {
		clone[i].Buf = bytes.Clone(ps[i].Buf)
	}
	return clone
}

func TestMasksAreTheLibraries(t *testing.T) {
	e := portable(t)
	for _, n := range []int{1, 2, 17, 256} {
		var ps []Packet
		for _, alg := range []Algorithm{ciphers.AES128GCM, ciphers.AES256GCM, ciphers.ChaCha20Poly1305} {
			ps = append(ps, withMasks(t, e, alg, n/3+1)...)
		}
		ps = ps[:n]
		masks := make([]byte, 16*n)
		if made := e.Mask(masks, ps); made != n {
			t.Fatalf("made %d masks of %d", made, n)
		}
		for i := range ps {
			alg := ps[i].MaskKey.Algorithm()
			if want := libraryMask(t, alg, specOf(alg, 0).Key, ps[i].Sample()); !bytes.Equal(masks[16*i:][:16], want) {
				t.Errorf("mask %d of %d is wrong", i, n)
			}
		}
	}
}

// TestWholeBurstsAreMaskedAsRows hands over a whole burst, then one with a packet
// that has no key, then one of two algorithms.
func TestWholeBurstsAreMaskedAsRows(t *testing.T) {
	b := fake(t, "rows", 1, ciphers.MaskAES128)
	r := &rows{Masker: b.Masks[ciphers.MaskAES128]}
	b.Masks[ciphers.MaskAES128] = r
	e := only(t, b, std(t))
	masks, atNew := make([]byte, 16*6), r.taken
	whole := withMasks(t, e, ciphers.AES128GCM, 6)
	e.Mask(masks, whole)
	e.SealMask(masks, withMasks(t, e, ciphers.AES128GCM, 6))
	if got := r.taken - atNew; got != 2 {
		t.Errorf("%d rows of 2", got)
	}
	whole[3].MaskKey = nil
	e.Mask(masks, whole)
	e.Mask(masks, append(withMasks(t, e, ciphers.AES128GCM, 3), withMasks(t, e, ciphers.AES256GCM, 3)...))
	if got := r.taken - atNew; got != 2 {
		t.Errorf("%d rows of bursts that are none", got-2)
	}
}

func TestMaskKeepsTheStatusOfAnEarlierCall(t *testing.T) {
	e := portable(t)
	ps := withMasks(t, e, ciphers.AES128GCM, 3)
	ps[0].Status, ps[1].Status = ciphers.StatusAuth, ciphers.StatusOK
	ps[2].MaskKey = nil
	masks := bytes.Repeat([]byte{0xEE}, 48)
	if made := e.Mask(masks, ps); made != 2 {
		t.Errorf("made %d masks, want 2", made)
	}
	wantStatus(t, &ps[0], ciphers.StatusAuth)
	wantStatus(t, &ps[1], ciphers.StatusOK)
	wantStatus(t, &ps[2], ciphers.StatusKey)
	if !zero(masks[32:]) {
		t.Error("the mask that could not be made is not zero")
	}
}

func TestMaskNeedsRoom(t *testing.T) {
	e := portable(t)
	ps := withMasks(t, e, ciphers.AES128GCM, 3)
	if made := e.Mask(make([]byte, 47), ps); made != 2 {
		t.Errorf("made %d masks in 47 bytes, want 2", made)
	}
	wantStatus(t, &ps[2], ciphers.StatusMaskRoom)
}

func TestAnotherEnginesMaskKeyIsRefused(t *testing.T) {
	e, other := portable(t), portable(t)
	ps := withMasks(t, e, ciphers.AES128GCM, 3)
	foreign := mustKey(t, other, specOf(ciphers.MaskAES128, 0))
	for i := range ps {
		ps[i].MaskKey = foreign
	}
	masks := bytes.Repeat([]byte{0xEE}, 48)
	if made := e.Mask(masks, ps); made != 0 || !zero(masks) {
		t.Errorf("made %d masks: %x", made, masks)
	}
	wantStatus(t, &ps[0], ciphers.StatusKey)
	if got := e.Stats().Causes["key"]; got != 3 {
		t.Errorf("%d counted, want 3", got)
	}
	buf := bytes.Clone(ps[1].Buf)
	if ok := e.SealMask(masks, ps); ok != 0 || !zero(masks) || !bytes.Equal(ps[1].Buf, buf) {
		t.Errorf("sealed %d, masks %x", ok, masks)
	}
}

// TestSealMaskIsSealThenMask compares the two on bursts of one and of several
// algorithms, with an implementation that fuses them and without.
func TestSealMaskIsSealThenMask(t *testing.T) {
	b := fake(t, "fused", 1, ciphers.AES128GCM)
	masks := std(t).Masks[ciphers.MaskAES128]
	f := &fused{AEAD: b.AEADs[ciphers.AES128GCM], masker: masks}
	b.AEADs[ciphers.AES128GCM] = f
	b.Masks[ciphers.MaskAES128] = masks
	for name, e := range map[string]*Engine{"portable": portable(t), "fused": only(t, b, std(t))} {
		for _, algs := range [][]Algorithm{
			{ciphers.AES128GCM}, {ciphers.AES256GCM}, {ciphers.AES128CCM}, {ciphers.ChaCha20Poly1305},
			{ciphers.AES128GCM, ciphers.ChaCha20Poly1305, ciphers.AES128CCM},
		} {
			var ps []Packet
			for _, alg := range algs {
				ps = append(ps, withMasks(t, e, alg, 9)...)
			}
			t.Run(name, func(t *testing.T) { sealMaskOnce(t, e, ps) })
		}
	}
	if f.calls != 1 {
		t.Errorf("the fused implementation was called %d times, want 1: bursts that share both algorithms", f.calls)
	}
}

func sealMaskOnce(t *testing.T, e *Engine, ps []Packet) {
	apart := clonePackets(ps)
	got, want := bytes.Repeat([]byte{0xEE}, 16*len(ps)), make([]byte, 16*len(ps))
	if ok := e.SealMask(got, ps); ok != len(ps) {
		t.Errorf("sealed %d of %d", ok, len(ps))
	}
	e.Seal(apart)
	e.Mask(want, apart)
	comparePackets(t, ps, apart)
	if !bytes.Equal(got, want) {
		t.Errorf("masks differ:\n%x\n%x", got, want)
	}
}

func comparePackets(t *testing.T, got, want []Packet) {
	t.Helper()
	for i := range got {
		if got[i].Status != want[i].Status || !bytes.Equal(got[i].Buf, want[i].Buf) {
			t.Errorf("packet %d: status %v, want %v, or other bytes", i, got[i].Status, want[i].Status)
		}
	}
}

// failing is a MaskSealer that fails for the last packet.
type failing struct{ *fused }

func (f failing) SealMask(dst []byte, ps []Packet, alike bool) int {
	n := f.fused.SealMask(dst, ps, alike)
	ps[len(ps)-1].Status = ciphers.StatusBackend
	return n - 1
}

func TestFusedFailureHasNoMask(t *testing.T) {
	b := fake(t, "fused", 1, ciphers.AES128GCM)
	masks := std(t).Masks[ciphers.MaskAES128]
	b.AEADs[ciphers.AES128GCM] = failing{&fused{AEAD: b.AEADs[ciphers.AES128GCM], masker: masks}}
	b.Masks[ciphers.MaskAES128] = masks
	e := only(t, b, std(t))
	got := bytes.Repeat([]byte{0xEE}, 16*4)
	if ok := e.SealMask(got, withMasks(t, e, ciphers.AES128GCM, 4)); ok != 3 {
		t.Errorf("sealed %d, want 3", ok)
	}
	if zero(got[32:48]) || !zero(got[48:]) {
		t.Errorf("masks %x, want zeros for the last alone", got)
	}
}

// TestSealMaskWithFailures has packets that cannot be sealed, or not masked,
// among good ones: neither is sealed, and their masks are zero.
func TestSealMaskWithFailures(t *testing.T) {
	e := portable(t)
	ps := withMasks(t, e, ciphers.AES128GCM, 6)
	ps[1].Key = nil
	ps[2].MaskKey = nil
	ps[3].SampleOff = 90
	ps[5].Buf = ps[5].Buf[:99]
	untouched := clonePackets(ps)
	apart := clonePackets(ps)
	masks, want := bytes.Repeat([]byte{0xEE}, 96), make([]byte, 96)
	if ok := e.SealMask(masks, ps); ok != 2 {
		t.Errorf("sealed %d, want 2", ok)
	}
	e.Seal(apart)
	e.Mask(want, apart)
	for i, status := range []Status{ciphers.StatusOK, ciphers.StatusKey, ciphers.StatusKey, ciphers.StatusSample, ciphers.StatusOK, ciphers.StatusTailroom} {
		wantStatus(t, &ps[i], status)
		sealed, mask := apart[i].Buf, want[16*i:][:16]
		if status != ciphers.StatusOK {
			sealed, mask = untouched[i].Buf, make([]byte, 16)
		}
		if !bytes.Equal(ps[i].Buf, sealed) || !bytes.Equal(masks[16*i:][:16], mask) {
			t.Errorf("packet %d: wrong bytes or mask %x", i, masks[16*i:][:16])
		}
	}
}
