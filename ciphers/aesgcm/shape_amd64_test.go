//go:build !purego

package aesgcm

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestKernelStopsBeforeAnotherShape changes one thing of each packet in turn: those
// before it are taken, it and those behind it are left as they were.
func TestKernelStopsBeforeAnotherShape(t *testing.T) {
	changes := map[string]func(p *ciphers.Packet){
		"payload": func(p *ciphers.Packet) { p.Len-- },
		"prefix":  func(p *ciphers.Packet) { p.Prefix = p.Prefix[1:] },
		"place":   func(p *ciphers.Packet) { tiertest.InBuffer(p, len(p.Prefix)) },
	}
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("shape")
		keys := newKeyPairs(t, tier, 3, fullTag, r)
		for _, n := range []int{16, 64, 300, 512, 700, 1450} {
			for name, change := range changes {
				for at := 1; at < 9; at++ {
					b := underKeys(keys, 9, n, r)
					change(&b.Packets[at])
					checkStop(t, func(ps []ciphers.Packet, index []uint8) (taken, ok int) {
						return v.call(&ps[0], index, ciphers.SlotBulk, nil, firstShape, false)
					}, &b, at, name)
				}
			}
		}
	})
}

// underKeys is a burst of one shape under some keys by turns.
func underKeys(keys []*tiertest.KeyPair, count, n int, r *rand.ChaCha8) (b burst) {
	for i := range count {
		b.Add(keys[i%len(keys)], n, 20, r)
	}
	return b
}

// checkStop has a kernel seal a burst of which it is to take the packets before at.
func checkStop(t *testing.T, seal func(ps []ciphers.Packet, index []uint8) (taken, ok int), b *burst, at int, name string) {
	t.Helper()
	ps := b.Packets
	ciphers.SealBorder(ps)
	taken, ok := seal(ps, ciphers.Identity(len(ps)))
	if taken != at || ok != at {
		t.Fatalf("%s of packet %d: takes %d, %d of them well", name, at, taken, ok)
	}
	for i := range ps {
		p, n := &ps[i], len(b.Plain[i])
		if i < at {
			want := b.Keys[i].Oracle.Seal(nil, p.Nonce()[:], b.Plain[i], p.AAD(nil))
			if !bytes.Equal(p.Buf[:n+fullTag], want) || p.Status != ciphers.StatusOK {
				t.Errorf("%s of packet %d: packet %d has status %v or the wrong bytes", name, at, i, p.Status)
			}
		} else if !bytes.Equal(p.Buf[:n], b.Plain[i]) || p.Status != ciphers.StatusNone {
			t.Errorf("%s of packet %d: packet %d is not left alone", name, at, i)
		}
	}
}

// TestOtherShapesAreNotLost has a packet of another shape at each place of bursts under
// several keys, and a packet that needs folding.
func TestOtherShapesAreNotLost(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("other shapes")
		keys := newKeyPairs(t, tier, 5, fullTag, r)
		for at := range 20 {
			for _, n := range []int{64, 1000, 4096} {
				b := underKeys(keys, 20, n, r)
				b.Packets[at].Len--
				b.Plain[at] = b.Plain[at][:n-1]
				b.Packets[19-at].Prefix = tiertest.Random(r, inPlaceAAD+1+at%2*20)
				b.Run(t, tier.Impl)
			}
		}
	})
}

// TestOtherShapesAtTheHeadOfACall has packets of one shape take several calls of a
// kernel, and one that needs folding at each place, so that it is a call's first too.
func TestOtherShapesAtTheHeadOfACall(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("head of a call")
		keys := newKeyPairs(t, tier, 5, fullTag, r)
		for at := quad; at < 11; at++ {
			for _, n := range []int{maxCall / 7, maxCall - 40} {
				b := underKeys(keys, 11, n, r)
				b.Packets[at].Prefix = tiertest.Random(r, inPlaceAAD+1+at%2*20)
				b.Run(t, tier.Impl)
			}
		}
	})
}

// TestBurstsInParts has bursts of more packets than are put in order at a time.
func TestBurstsInParts(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("parts")
		rng := rand.New(r)
		keys := newKeyPairs(t, tier, 4, fullTag, r)
		for _, count := range []int{65, 128, 129, 250, ciphers.MaxBurst} {
			var b burst
			for range count {
				n := []int{rng.IntN(1500), 64, 576}[rng.IntN(3)]
				b.Add(keys[rng.IntN(len(keys))], n, 20, r)
			}
			b.Run(t, tier.Impl)
		}
	})
}

// TestSecondSlot has the schedule in the other slot of a key.
func TestSecondSlot(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("slot")
		pair := newKeyPair(t, tier, fullTag, r)
		plan := &ciphers.Plan{Bulk: Std(), Lone: tier.Impl, LoneMax: 1}
		secret := tiertest.Random(r, tier.Alg.KeySize())
		spec := ciphers.KeySpec{Algorithm: tier.Alg, Direction: ciphers.Sealing, Key: secret, Nonce: ciphers.NonceXOR, IV: make([]byte, 12)}
		k, err := ciphers.NewKey(&spec, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{64, 1000} {
			b := underKeys([]*tiertest.KeyPair{pair}, 9, n, r)
			twin := slices.Clone(b.Packets)
			for i := range twin {
				twin[i].Buf, twin[i].Key, b.Packets[i].Key = slices.Clone(twin[i].Buf), k, k
			}
			ciphers.SealBorder(b.Packets)
			ciphers.SealBorder(twin)
			Std().Seal(ciphers.Burst{Packets: b.Packets, Index: ciphers.Identity(9), Slot: ciphers.SlotBulk})
			tier.Impl.Seal(ciphers.Burst{Packets: twin, Index: ciphers.Identity(9), Slot: ciphers.SlotLone})
			for i := range twin {
				if !bytes.Equal(twin[i].Buf, b.Packets[i].Buf) {
					t.Errorf("packet %d of %d bytes: not what the portable tier makes", i, n)
				}
			}
		}
	})
}
