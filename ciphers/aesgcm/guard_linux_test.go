package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestGuardPages has buffers, plaintexts and associated data begin or end where
// memory does: an access outside them faults.
func TestGuardPages(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		r := source("guard")
		k := newKeyPair(t, tier, fullTag, r)
		buf, plain, aad := tiertest.Guarded(t, 2), tiertest.Guarded(t, 2), tiertest.Guarded(t, 1)
		for n := range 1500 {
			for _, last := range []bool{false, true} {
				var b burst
				p := b.add(k, random(r, n), random(r, n%49), r)
				p.Buf = tiertest.Placed(buf, p.Buf, last)
				p.Prefix = tiertest.Placed(aad, p.Prefix, last)
				if n%2 == 1 {
					p.Plain = tiertest.Placed(plain, b.plain[0], last)
				}
				b.run(t, tier.impl)
			}
		}
	})
}

// TestGuardPagesInQuads has one of eight packets that are alike lie so.
func TestGuardPagesInQuads(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		r := source("guard quads")
		k := newKeyPair(t, tier, fullTag, r)
		buf, plain, aad := tiertest.Guarded(t, 1), tiertest.Guarded(t, 1), tiertest.Guarded(t, 1)
		for n := range 330 {
			for at := range 8 {
				var b burst
				for range 8 {
					b.add(k, random(r, n), random(r, n%34), r)
				}
				p, last := &b.packets[at], (n/34+at)%2 == 1
				p.Buf, p.Prefix = tiertest.Placed(buf, p.Buf, last), tiertest.Placed(aad, p.Prefix, last)
				if n%2 == 1 {
					p.Plain = tiertest.Placed(plain, b.plain[at], last)
				}
				b.run(t, tier.impl)
			}
		}
	})
}

// TestGuardPagesInBursts has four neighbours share memory that ends with the
// last of them.
func TestGuardPagesInBursts(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		r := source("guard bursts")
		k := newKeyPair(t, tier, fullTag, r)
		room := tiertest.Guarded(t, 3)
		for n := 0; n < 1800; n += 1 + n/200*13 {
			for count := 1; count <= 4; count++ {
				var b burst
				end := len(room)
				for range count {
					p := b.add(k, random(r, n), nil, r)
					place(p, room, end)
					end -= len(p.Buf)
				}
				b.run(t, tier.impl)
			}
		}
	})
}

func place(p *ciphers.Packet, room []byte, end int) {
	at := room[end-len(p.Buf) : end : end]
	copy(at, p.Buf)
	p.Buf = at
}
