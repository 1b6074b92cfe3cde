package ciphers

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestBordersJudgeEachPacketAlone compares random bursts with what the full
// check says of each packet, and the plan with what all of them share.
func TestBordersJudgeEachPacketAlone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	arena := make([]byte, 400)
	for _, d := range []Direction{Sealing, Opening} {
		border := map[Direction]func([]Packet) (*Plan, bool){Sealing: SealBorder, Opening: OpenBorder}[d]
		keys := burstKeys(t, d)
		whole := 0
		for range 50_000 {
			ps := make([]Packet, 1+rng.IntN(5))
			few := 1 + rng.IntN(len(keys))
			for i := range ps {
				ps[i] = nearlyRight(rng, arena, keys[rng.IntN(few)])
				ps[i].Status = StatusOK
			}
			alone := slices.Clone(ps)
			want := planOfAll(alone, d)
			if got, _ := border(ps); got != want {
				t.Fatalf("direction %d: plan %p, want %p", d, got, want)
			}
			sameVerdicts(t, ps, alone)
			if want != nil {
				whole++
			}
		}
		if whole < 1000 {
			t.Errorf("direction %d: only %d bursts were valid as a whole", d, whole)
		}
	}
}

// burstKeys share a plan, all but the last three.
func burstKeys(t *testing.T, d Direction) []*Key {
	plan := aeadPlan()
	short, closed := xor(d), mustKeyOf(t, xor(d), plan)
	short.TagSize = 8
	closed.Close()
	return []*Key{
		mustKeyOf(t, xor(d), plan), mustKeyOf(t, xor(d), plan), mustKeyOf(t, short, plan),
		mustKeyOf(t, explicit(d), plan), mustKeyOf(t, spec(AES128CCM, d, NonceXOR, 11), plan), closed, mustKey(t, xor(d)), mustKey(t, xor(Sealing+Opening-d)), nil,
	}
}

// planOfAll gives every packet its status and returns the plan that all share.
func planOfAll(ps []Packet, d Direction) *Plan {
	plans := map[*Plan]bool{}
	for i := range ps {
		p := &ps[i]
		if p.Status = p.check(d); p.Status != StatusNone {
			plans[nil] = true
			continue
		}
		plans[p.Key.plan] = true
	}
	if len(plans) != 1 || ps[0].Key == nil || plans[nil] {
		return nil
	}
	return ps[0].Key.plan
}

func sameVerdicts(t *testing.T, got, want []Packet) {
	t.Helper()
	for i := range got {
		g, w := &got[i], &want[i]
		if g.Status != w.Status || g.Status == StatusNone && g.nonce != w.nonce {
			t.Fatalf("packet %d of %d: status %v, nonce %x; alone %v, %x", i, len(got), g.Status, g.nonce, w.Status, w.nonce)
		}
	}
}

// TestLongestPayloads seals and opens 65535 bytes under every algorithm and
// length of nonce, CCM's of 13 bytes included, whose limit does not count the
// tag (SP 800-38C appendix A.1). A byte more is refused, so that no block
// counter comes near its end: 65535 bytes take 4096 blocks.
func TestLongestPayloads(t *testing.T) {
	buf := make([]byte, MaxPayload+1+MaxTag)
	for _, s := range []KeySpec{
		spec(AES128GCM, Sealing, NonceXOR, 12), spec(ChaCha20Poly1305, Sealing, NonceXOR, 12),
		spec(AES128CCM, Sealing, NonceXOR, 12), spec(AES256CCM, Sealing, NonceXOR, 13),
	} {
		for n, want := range map[uint32]Status{MaxPayload: StatusNone, MaxPayload + 1: StatusTooLong} {
			s.Direction = Sealing
			ps := []Packet{{Buf: buf, Key: mustKey(t, s), Len: n}}
			if SealBorder(ps); ps[0].Status != want {
				t.Errorf("%v, nonce %d: sealing %d bytes: %v, want %v", s.Algorithm, len(s.IV), n, ps[0].Status, want)
			}
			s.Direction = Opening
			ps = []Packet{{Buf: buf, Key: mustKey(t, s), Len: n + MaxTag}}
			if OpenBorder(ps); ps[0].Status != want {
				t.Errorf("%v, nonce %d: opening %d bytes: %v, want %v", s.Algorithm, len(s.IV), n, ps[0].Status, want)
			}
		}
	}
}
