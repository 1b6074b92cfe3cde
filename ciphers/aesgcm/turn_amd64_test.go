//go:build !purego

package aesgcm

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
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
func eachVector(t *testing.T, f func(t *testing.T, tier tier, impl inTurnOnly)) {
	eachTier(t, func(t *testing.T, tier tier) {
		if v, ok := tier.impl.(vector); ok {
			f(t, tier, inTurnOnly{v})
		}
	})
}

// mostTurns is more registers than two chunks and a tail have.
const mostTurns = 26

// TestEverySizeAfterEverySize has packets of all numbers of registers follow each
// other: what one leaves to be hashed is taken up by a next one of any size.
func TestEverySizeAfterEverySize(t *testing.T) {
	eachVector(t, func(t *testing.T, tier tier, impl inTurnOnly) {
		r := source("turns")
		keys := newKeyPairs(t, tier, 3, fullTag, r)
		for first := 1; first <= mostTurns; first++ {
			for second := 1; second <= mostTurns; second++ {
				if testing.Short() && (first+second)%3 != 0 {
					continue
				}
				var b burst
				for i, registers := range []int{first, second, second, first, first} {
					n := 64*registers - (first*second+i)%64
					b.add(keys[(first+i)%3], random(r, n), random(r, (i+second)%(inPlaceAAD+1)), r)
				}
				b.run(t, impl)
			}
		}
	})
}

// TestEverySizeWithEveryTag has tags of all sizes on packets of all numbers of
// registers, whose tags are made behind them.
func TestEverySizeWithEveryTag(t *testing.T) {
	eachVector(t, func(t *testing.T, tier tier, impl inTurnOnly) {
		r := source("turns with tags")
		var keys []*keyPair
		for _, tag := range tier.alg.TagSizes() {
			keys = append(keys, newKeyPair(t, tier, tag, r))
		}
		for registers := 1; registers <= mostTurns; registers++ {
			var b burst
			for i := range 9 {
				b.add(keys[(i+i/3)%len(keys)], random(r, 64*registers-7*i), random(r, 20), r)
			}
			b.run(t, impl)
		}
	})
}

// TestForgeriesInTurn has each bit of a tag wrong on packets of all numbers of
// registers under several keys.
func TestForgeriesInTurn(t *testing.T) {
	eachVector(t, func(t *testing.T, tier tier, impl inTurnOnly) {
		r := source("forgeries in turn")
		keys := newKeyPairs(t, tier, 2, fullTag, r)
		var b burst
		for registers := range mostTurns {
			b.add(keys[registers%2], random(r, 64*registers+registers), random(r, 13), r)
		}
		b.run(t, impl) // leaves what opens
		for bit := range 8 * fullTag {
			b.forge(t, impl, bit, bit%mostTurns)
			b.forge(t, impl, bit, bit%mostTurns, (bit*7+1)%mostTurns, mostTurns-1)
		}
	})
}

// TestUniformPacketsOfOtherSizes has runs of uniform packets among others, in many
// orders: they are found, and no other packet is lost.
func TestUniformPacketsOfOtherSizes(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tier, v vector) {
		r := source("uniform by size")
		keys := newKeyPairs(t, tier, 2, fullTag, r)
		sizes := []int{64, 576, 64, 200, 64, 1400, 64, 200, 320, 64, 576, 64, 200, 64, 63, 200, 64, 200, 320, 0, 1}
		for rotation := range sizes {
			var b burst
			for i := range 2 * len(sizes) {
				n := sizes[(i+rotation)%len(sizes)]
				b.add(keys[n%3%2], random(r, n), random(r, 20), r)
			}
			var o order
			index := slices.Clone(o.sort(ciphers.Burst{Packets: b.packets, Index: ciphers.Identity(len(b.packets))}, false))
			ciphers.SealBorder(b.packets)
			rest, ok := v.uniformBySize(b.packets, index, o.sizes, ciphers.SlotBulk, false)
			if ok < 2*quad || ok+len(rest) != len(b.packets) {
				t.Errorf("%d uniform packets and %d others of %d", ok, len(rest), len(b.packets))
			}
			for i := range b.packets {
				copy(b.packets[i].Buf, b.plain[i])
			}
			b.run(t, tier.impl)
		}
	})
}
