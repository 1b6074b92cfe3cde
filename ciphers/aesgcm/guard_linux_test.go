package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestGuardPages has buffers, plaintexts and associated data begin or end where
// memory does: an access outside them faults.
func TestGuardPages(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("guard")
		k := newKeyPair(t, tier, fullTag, r)
		buf, plain, aad := tiertest.Guarded(t, 2), tiertest.Guarded(t, 2), tiertest.Guarded(t, 1)
		for n := range 1500 {
			for _, last := range []bool{false, true} {
				var b burst
				p := b.Add(k, n, n%49, r)
				p.Buf = tiertest.Placed(buf, p.Buf, last)
				p.Prefix = tiertest.Placed(aad, p.Prefix, last)
				if n%2 == 1 {
					p.Plain = tiertest.Placed(plain, b.Plain[0], last)
				}
				b.Run(t, tier.Impl)
			}
		}
	})
}

// TestGuardPagesInQuads has one of eight packets that are alike lie so.
func TestGuardPagesInQuads(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("guard quads")
		k := newKeyPair(t, tier, fullTag, r)
		buf, plain, aad := tiertest.Guarded(t, 1), tiertest.Guarded(t, 1), tiertest.Guarded(t, 1)
		for n := range 330 {
			for at := range 8 {
				var b burst
				for range 8 {
					b.Add(k, n, n%34, r)
				}
				p, last := &b.Packets[at], (n/34+at)%2 == 1
				p.Buf, p.Prefix = tiertest.Placed(buf, p.Buf, last), tiertest.Placed(aad, p.Prefix, last)
				if n%2 == 1 {
					p.Plain = tiertest.Placed(plain, b.Plain[at], last)
				}
				b.Run(t, tier.Impl)
			}
		}
	})
}

// TestGuardPagesInBursts has four neighbours share memory that ends with the
// last of them.
func TestGuardPagesInBursts(t *testing.T) {
	tiertest.Each(t, tiers(), func(t *testing.T, tier tiertest.Tier) {
		r := tiertest.Source("guard bursts")
		k := newKeyPair(t, tier, fullTag, r)
		room := tiertest.Guarded(t, 3)
		for n := 0; n < 1800; n += 1 + n/200*13 {
			for count := 1; count <= 4; count++ {
				var b burst
				end := len(room)
				for range count {
					p := b.AddText(k, tiertest.Random(r, n), nil, r)
					place(p, room, end)
					end -= len(p.Buf)
				}
				b.Run(t, tier.Impl)
			}
		}
	})
}

func place(p *ciphers.Packet, room []byte, end int) {
	at := room[end-len(p.Buf) : end : end]
	copy(at, p.Buf)
	p.Buf = at
}
