//go:build !purego

package aesgcm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// oneKeyOnly is a tier with every burst, in the order in which it comes, in the hands of the
// kernel for one key, which must take all of it.
type oneKeyOnly struct {
	vector
	t     *testing.T
	shape int
}

func (o oneKeyOnly) Seal(b ciphers.Burst) int { return o.run(b, false) }

func (o oneKeyOnly) Open(b ciphers.Burst) int {
	ok := o.run(b, true)
	wipe(b)
	return ok
}

func (o oneKeyOnly) run(b ciphers.Burst, opening bool) int {
	taken, ok := o.oneKey(b.Packets, b.Index, b.Slot, nil, o.shape, opening)
	if taken != len(b.Index) {
		o.t.Fatalf("takes %d packets of %d", taken, len(b.Index))
	}
	return ok
}

// longs is a burst under one key of packets of those lengths, out of place, with
// associated data in their buffers, and both by turns.
func longs(k *tiertest.KeyPair, r *rand.ChaCha8, lengths ...int) (b burst) {
	for i, n := range lengths {
		p := b.Add(k, n, (n+i)%(inPlaceAAD+1), r)
		if n>>1&1 == 1 {
			tiertest.InBuffer(p, len(p.Prefix))
		}
		if (n+i)%3 == 1 {
			p.Plain = slices.Clone(b.Plain[i])
			r.Read(p.Buf[:n])
		}
	}
	return b
}

// TestOneKeyAtEveryLength has every length of some chunks, and lengths up to the longest.
func TestOneKeyAtEveryLength(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("one key")
		impl := oneKeyOnly{v, t, anyShape}
		for _, tag := range tier.Alg.TagSizes() {
			k := newKeyPair(t, tier, tag, r)
			for n := minOneKeyPayload; n <= 2200; n++ {
				b := longs(k, r, n, minOneKeyPayload+n%700, n+1)
				b.Run(t, impl)
			}
			for n := 2201; n <= maxOneKeyPayload; n += 1 + (n*n)%37 {
				b := longs(k, r, n, maxOneKeyPayload-n%200)
				b.Run(t, impl)
			}
		}
	})
}

// TestOneKeyOfEverySizeAfterEverySize has packets of all numbers of registers up to three
// chunks follow each other, and groups of packets that end anywhere.
func TestOneKeyOfEverySizeAfterEverySize(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("one key turns")
		k := newKeyPair(t, tier, fullTag, r)
		impl := oneKeyOnly{v, t, anyShape}
		for first := 9; first <= 24; first++ {
			for second := 9; second <= 24; second++ {
				var lengths []int
				for i := range 1 + (first*5+second)%19 {
					lengths = append(lengths, 64*[]int{first, second, second}[i%3]-(first*second+i)%64)
				}
				b := longs(k, r, lengths...)
				b.Run(t, impl)
			}
		}
	})
}

// TestOneKeyForgeries has each bit of a tag wrong.
func TestOneKeyForgeries(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("one key forgeries")
		var lengths []int
		for i := range 21 {
			lengths = append(lengths, minOneKeyPayload+i*101)
		}
		impl := oneKeyOnly{v, t, anyShape}
		b := longs(newKeyPair(t, tier, fullTag, r), r, lengths...)
		b.Run(t, impl) // leaves what opens
		for bit := range 8 * fullTag {
			b.forge(t, impl, bit, bit%len(lengths))
			b.forge(t, impl, bit, bit%len(lengths), (bit*5+1)%len(lengths), len(lengths)-1)
		}
	})
}

// TestOneKeyStops has a packet that is not for the kernel at each place: those before it
// are taken, it and those behind it are left as they were.
func TestOneKeyStops(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("one key stops")
		keys := newKeyPairs(t, tier, 2, fullTag, r)
		for _, other := range []struct {
			name               string
			key, n, aad, shape int
		}{
			{"key", 1, 1000, 20, anyShape},
			{"key", 1, 1000, 20, firstShape},
			{"shorter", 0, minOneKeyPayload - 1, 20, anyShape},
			{"too long", 0, maxOneKeyPayload + 1, 20, anyShape},
			{"payload", 0, 999, 20, firstShape},
			{"associated data", 0, 1000, 19, firstShape},
		} {
			for at := 1; at < 19; at++ {
				var b burst
				for i := range 20 {
					k, n, aad := keys[0], 1000, 20
					if i == at {
						k, n, aad = keys[other.key], other.n, other.aad
					} else if i < at && other.shape == anyShape {
						n = maxOneKeyPayload - i // the table is as long as it gets
					}
					b.Add(k, n, aad, r)
				}
				checkStop(t, func(ps []ciphers.Packet, index []uint8) (taken, ok int) {
					return v.oneKey(ps, index, ciphers.SlotBulk, nil, other.shape, false)
				}, &b, at, other.name)
			}
		}
	})
}

// TestOneKeyIsFound has bursts of mixed sizes of which many have one key, associated data
// that need folding, and bursts of one shape whose key changes on the way.
func TestOneKeyIsFound(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("one key found")
		rng := rand.New(r)
		keys := newKeyPairs(t, tier, 3, fullTag, r)
		for round := range 60 {
			var b burst
			for i := range 8 + rng.IntN(60) {
				k := keys[0]
				if round%3 == 0 && rng.IntN(12) == 0 || round%3 == 1 && i > 9+round/2 {
					k = keys[1+i%2]
				}
				n := []int{1000, 64 + rng.IntN(1400), 576, 1400, 64}[(i*(round%2)+i)%5]
				if round%4 == 1 {
					n = 700 + round
				}
				b.Add(k, n, 20+round%5/4*60, r)
			}
			b.Run(t, tier.Impl)
		}
	})
}

// TestOneKeyBySize has short packets, too long ones and one of another key among packets
// for the kernel: it takes those up to that, if they are many, and the others are left, in
// order.
func TestOneKeyBySize(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("one key by size")
		keys := newKeyPairs(t, tier, 2, fullTag, r)
		for short := range 4 {
			for other := -1; other < 2*minOneKeyPackets; other++ {
				var b burst
				for range short {
					b.Add(keys[0], minOneKeyPayload-1, 9, r)
				}
				for i := range 3 * minOneKeyPackets {
					k := keys[0]
					if i == other {
						k = keys[1]
					}
					b.Add(k, 600+i, 9, r)
				}
				ciphers.SealBorder(b.Packets)
				rest, ok := v.oneKeyBySize(b.Packets, slices.Clone(ciphers.Identity(len(b.Packets))), ciphers.SlotBulk, nil, false)
				var want []uint8
				for i := range b.Packets {
					if i < short || other >= 0 && (other < minOneKeyPackets || i >= short+other) {
						want = append(want, uint8(i))
					}
				}
				if !slices.Equal(rest, want) || ok != len(b.Packets)-len(want) {
					t.Errorf("%d short, the other key at %d: %d taken, left %v, want %v", short, other, ok, rest, want)
				}
			}
		}
	})
}

func TestForOneKey(t *testing.T) {
	key, other := new(ciphers.Key), new(ciphers.Key)
	for _, test := range []struct {
		name   string
		change func(ps []ciphers.Packet) []ciphers.Packet
		want   bool
	}{
		{"long, of one key", func(ps []ciphers.Packet) []ciphers.Packet { return ps }, true},
		{"few", func(ps []ciphers.Packet) []ciphers.Packet { return ps[1:] }, false},
		{"of two keys", func(ps []ciphers.Packet) []ciphers.Packet { ps[minOneKeyPackets-1].Key = other; return ps }, false},
		{"short", func(ps []ciphers.Packet) []ciphers.Packet { ps[0].Len--; return ps }, false},
		{"longest", func(ps []ciphers.Packet) []ciphers.Packet { ps[0].Len = maxOneKeyPayload; return ps }, true},
		{"too long", func(ps []ciphers.Packet) []ciphers.Packet { ps[0].Len = maxOneKeyPayload + 1; return ps }, false},
	} {
		ps := make([]ciphers.Packet, minOneKeyPackets)
		for i := range ps {
			ps[i].Key, ps[i].Len = key, minOneKeyPayload
		}
		ps = test.change(ps)
		if got := aes128On512.forOneKey(ps, ciphers.Identity(len(ps)), false); got != test.want {
			t.Errorf("%s: %t", test.name, got)
		}
		if aes128On256.forOneKey(ps, ciphers.Identity(len(ps)), false) {
			t.Errorf("%s: for 256-bit registers", test.name)
		}
	}
}

// TestFirstLong has the first long packet at every place.
func TestFirstLong(t *testing.T) {
	for count := range 20 {
		for want := range count + 1 {
			lengths := make([]uint32, count)
			for i := range lengths {
				lengths[i] = minOneKeyPayload - 1
				if i >= want {
					lengths[i]++
				}
			}
			b := sized(lengths...)
			if got := firstLong(b.Packets, b.Index, false); got != want {
				t.Errorf("%d of %d packets are short, not %d", got, count, want)
			}
		}
	}
}

// TestMaskedLongPackets has masks of long packets, in bursts that end anywhere in a group,
// and counts what the kernel takes.
func TestMaskedLongPackets(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("masked long packets")
		k, m := newKeyPair(t, tier, fullTag, r), newMaskPair(t, v, r)
		for count := 1; count <= 45; count++ {
			for _, n := range []int{minOneKeyPayload - 1, minOneKeyPayload, 1000 + count, 1450, maxOneKeyPayload, maxOneKeyPayload + 1} {
				s := maskedShape{count, n, (7*n + count) % (headroom + 1), (n*count + n) % (headroom + n + 1)}
				want := 0
				if n >= minOneKeyPayload && n <= maxOneKeyPayload && count >= minOneKeyPackets && s.aad <= inPlaceAAD {
					want = count &^ 3
				}
				s.check(t, v, k, m, r, v.oneKeyMasked, want)
			}
		}
		for _, n := range []int{1450, 4000} {
			b := maskedBurst(k, m, maskedShape{ciphers.MaxBurst - 1, n, 11, headroom + 2}, r)
			b.runMasked(t, v, m, make([]byte, ciphers.MaskSize*len(b.Packets)))
		}
	})
}
