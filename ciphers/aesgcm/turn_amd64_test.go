//go:build !purego

package aesgcm

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// inTurnOnly is a tier with every burst, in the order in which it comes, in the
// hands of the kernel that takes packets one after the other.
type inTurnOnly struct{ vector }

func (i inTurnOnly) Seal(b ciphers.Burst) int {
	_, n := i.call(&b.Packets[0], b.Index, b.Slot, nil, anyShape, false)
	return n
}

func (i inTurnOnly) Open(b ciphers.Burst) int {
	_, n := i.call(&b.Packets[0], b.Index, b.Slot, nil, anyShape, true)
	wipe(b)
	return n
}

// eachVector calls f for the tiers on vector registers.
func eachVector(t *testing.T, f func(t *testing.T, tier tiertest.Tier, impl inTurnOnly)) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		if v, ok := tier.Impl.(vector); ok {
			f(t, tier, inTurnOnly{v})
		}
	})
}

// mostTurns is more registers than two chunks and a tail have.
const mostTurns = 26

// TestEverySizeAfterEverySize has packets of all numbers of registers follow each
// other: what one leaves to be hashed is taken up by a next one of any size.
func TestEverySizeAfterEverySize(t *testing.T) {
	eachVector(t, func(t *testing.T, tier tiertest.Tier, impl inTurnOnly) {
		r := tiertest.Source("turns")
		keys := newKeyPairs(t, tier, 3, fullTag, r)
		for first := 1; first <= mostTurns; first++ {
			for second := 1; second <= mostTurns; second++ {
				if testing.Short() && (first+second)%3 != 0 {
					continue
				}
				var b burst
				for i, registers := range []int{first, second, second, first, first} {
					n := 64*registers - (first*second+i)%64
					b.Add(keys[(first+i)%3], n, (i+second)%(inPlaceAAD+1), r)
				}
				b.Run(t, impl)
			}
		}
	})
}

// TestEverySizeWithEveryTag has tags of all sizes on packets of all numbers of
// registers, whose tags are made behind them.
func TestEverySizeWithEveryTag(t *testing.T) {
	eachVector(t, func(t *testing.T, tier tiertest.Tier, impl inTurnOnly) {
		r := tiertest.Source("turns with tags")
		var keys []*tiertest.KeyPair
		for _, tag := range tier.Alg.TagSizes() {
			keys = append(keys, newKeyPair(t, tier, tag, r))
		}
		for registers := 1; registers <= mostTurns; registers++ {
			var b burst
			for i := range 9 {
				b.Add(keys[(i+i/3)%len(keys)], 64*registers-7*i, 20, r)
			}
			b.Run(t, impl)
		}
	})
}

// TestForgeriesInTurn has each bit of a tag wrong on packets of all numbers of
// registers under several keys.
func TestForgeriesInTurn(t *testing.T) {
	eachVector(t, func(t *testing.T, tier tiertest.Tier, impl inTurnOnly) {
		r := tiertest.Source("forgeries in turn")
		keys := newKeyPairs(t, tier, 2, fullTag, r)
		var b burst
		for registers := range mostTurns {
			b.Add(keys[registers%2], 64*registers+registers, 13, r)
		}
		b.Run(t, impl) // leaves what opens
		for bit := range 8 * fullTag {
			b.forge(t, impl, bit, bit%mostTurns)
			b.forge(t, impl, bit, bit%mostTurns, (bit*7+1)%mostTurns, mostTurns-1)
		}
	})
}

// TestUniformPacketsOfOtherSizes has runs of uniform packets among others, in many
// orders: they are found, and no other packet is lost.
func TestUniformPacketsOfOtherSizes(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("uniform by size")
		keys := newKeyPairs(t, tier, 2, fullTag, r)
		sizes := []int{64, 576, 64, 200, 64, 1400, 64, 200, 320, 64, 576, 64, 200, 64, 63, 200, 64, 200, 320, 0, 1}
		for rotation := range sizes {
			var b burst
			for i := range 2 * len(sizes) {
				n := sizes[(i+rotation)%len(sizes)]
				b.Add(keys[n%3%2], n, 20, r)
			}
			var o order
			index := slices.Clone(o.sort(ciphers.Burst{Packets: b.Packets, Index: ciphers.Identity(len(b.Packets))}, false))
			ciphers.SealBorder(b.Packets)
			rest, ok := v.uniformBySize(b.Packets, index, o.sizes, ciphers.SlotBulk, false)
			if ok < 2*quad || ok+len(rest) != len(b.Packets) {
				t.Errorf("%d uniform packets and %d others of %d", ok, len(rest), len(b.Packets))
			}
			for i := range b.Packets {
				copy(b.Packets[i].Buf, b.Plain[i])
			}
			b.Run(t, tier.Impl)
		}
	})
}
