package ciphers

import (
	"bytes"
	"math/rand/v2"
	"slices"
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
		IVOff: uint16(rng.IntN(40)),
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

// TestAlikePacketsAreJudgedAsEachAlone makes bursts of packets that are alike but
// for one, and compares what the border says of each with the full check's
// verdict, and what either wrote.
func TestAlikePacketsAreJudgedAsEachAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, d := range []Direction{Sealing, Opening} {
		border := map[Direction]func([]Packet) (*Plan, bool){Sealing: SealBorder, Opening: OpenBorder}[d]
		keys := append(burstKeys(t, d), pairKeys(t, d)...)
		whole, rows := map[NonceForm]int{}, 0
		for range 50_000 {
			arena := pattern(400)
			alone, tried, seed := slices.Clone(arena), slices.Clone(arena), rng.Uint64()
			ps, qs := likeBurst(seed, arena, keys), likeBurst(seed, alone, keys)
			if n, _ := likeFirst(likeBurst(seed, tried, keys), d); n == len(ps) {
				whole[ps[0].Key.spec.form]++
			}
			want := planOfAll(qs, d)
			got, alike := border(ps)
			if got != want {
				t.Fatalf("direction %d: plan %p, want %p", d, got, want)
			}
			if alike {
				rows++
				if want == nil || len(ps) < MinRow || !areAlike(ps) || ps[0].AADOff+ps[0].AADLen > ps[0].Off {
					t.Fatalf("direction %d: alike, but not so", d)
				}
			}
			sameVerdicts(t, ps, qs)
			if !slices.ContainsFunc(ps, func(p Packet) bool { return p.drawn() }) && !bytes.Equal(arena, alone) {
				t.Fatalf("direction %d: the explicit nonces differ", d)
			}
			for i := range ps {
				if p := &ps[i]; d == Sealing && p.drawn() && p.Status == StatusNone && bytes.Equal(p.IV(), qs[i].IV()) {
					t.Fatalf("packet %d of %d: no IV was drawn", i, len(ps))
				}
			}
		}
		for form := NonceForm(0); form <= NonceDrawn; form++ {
			if whole[form] < 100 {
				t.Errorf("direction %d, form %d: only %d bursts were taken as a whole", d, form, whole[form])
			}
		}
		if rows < 100 {
			t.Errorf("direction %d: only %d bursts were alike", d, rows)
		}
	}
}

// TestPlainTouchesBufAtEitherEnd moves Plain past Buf byte by byte.
func TestPlainTouchesBufAtEitherEnd(t *testing.T) {
	arena := make([]byte, 100)
	p := Packet{Buf: arena[40:60]}
	for at := range 100 - 10 {
		p.Plain = arena[at:][:10]
		clear := at+10 <= 40 || at >= 60
		if got := p.spare(20, 10) >= 0; got != clear {
			t.Errorf("10 bytes at %d beside Buf at 40 to 60: clear is %v", at, got)
		}
		if got := p.quickPlain(10); got != clear {
			t.Errorf("10 bytes at %d beside Buf at 40 to 60: quickly, clear is %v", at, got)
		}
	}
	p.Plain = arena[:10]
	for _, c := range []struct {
		wire, size int
		fits       bool
	}{{20, 10, true}, {21, 10, false}, {20, 11, false}, {0, 0, true}} {
		if got := p.spare(c.wire, c.size) >= 0; got != c.fits {
			t.Errorf("wire %d, size %d: fits is %v", c.wire, c.size, got)
		}
	}
}

func (p *Packet) drawn() bool { return p.Key != nil && p.Key.spec.form == NonceDrawn }

// pairKeys share a plan: two with an IV that is drawn, and one without.
func pairKeys(t *testing.T, d Direction) []*Key {
	plan, keys := aeadPlan(), []*Key(nil)
	for _, alg := range []Algorithm{
		EncryptThenMAC(AES128CBC, HMACSHA256), EncryptThenMAC(AES128CBC, HMACSHA256), EncryptThenMAC(NullEncryption, HMACSHA256),
	} {
		keys = append(keys, mustKeyOf(t, KeySpec{
			Algorithm: alg, Direction: d, Key: make([]byte, alg.KeySize()), AuthKey: make([]byte, alg.AuthKeySize()), Nonce: alg.IVForm(),
		}, plan))
	}
	return keys
}

// likeBurst is 2 to 5 packets alike, but that one of them may differ in one thing.
func likeBurst(seed uint64, arena []byte, keys []*Key) []Packet {
	rng := rand.New(rand.NewPCG(seed, 0))
	ps := make([]Packet, 2+rng.IntN(4))
	first, other := nearlyRight(rng, arena, keys[rng.IntN(len(keys))]), nearlyRight(rng, arena, keys[rng.IntN(len(keys))])
	if rng.IntN(2) == 0 {
		first.Buf, first.Plain, first.Prefix = arena[:200], nil, nil
	}
	if k := first.Key; k != nil && k.partial != 0 && rng.IntN(4) != 0 { // whole blocks, and the tag
		first.Len &^= uint32(k.partial)
		first.Len += uint32(k.spec.direction-Sealing) * uint32(k.spec.tag)
	}
	for i := range ps {
		ps[i] = first
		ps[i].Number, ps[i].High, ps[i].Status = rng.Uint64(), rng.Uint32(), StatusOK
	}
	p := &ps[rng.IntN(len(ps))]
	switch rng.IntN(12) {
	case 0:
		p.Key = other.Key
	case 1:
		p.Buf = other.Buf
	case 2:
		p.Plain = other.Plain
	case 3:
		p.Plain = arena[200+rng.IntN(100):]
	case 4:
		p.Plain = arena[:0]
	case 5:
		p.Prefix = other.Prefix
	case 6:
		p.Len = other.Len
	case 7:
		p.Off = other.Off
	case 8:
		p.AADOff = other.AADOff
	case 9:
		p.AADLen = other.AADLen
	case 10:
		p.IVOff = other.IVOff
	}
	return ps
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
	if plan, _ := SealBorder(ps); plan != one.plan {
		t.Error("all packets share a plan, and the border says no")
	}
	ps[2].Key = other
	if plan, _ := SealBorder(ps); plan != nil {
		t.Error("the last packet has another plan, and the border says no")
	}
	ps[2].Key, ps[1].Off = one, 65535
	if plan, _ := SealBorder(ps); plan != nil || ps[1].Status == StatusNone || ps[0].Status != StatusNone || ps[2].Status != StatusNone {
		t.Errorf("statuses %v, %v, %v", ps[0].Status, ps[1].Status, ps[2].Status)
	}
}
