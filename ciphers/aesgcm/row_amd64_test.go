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

// rowBurst is a burst of packets that are alike, with associated data in front of
// payloads, some packets out of place, and bytes around all that must stay.
func rowBurst(k *tiertest.KeyPair, s maskedShape, r *rand.ChaCha8) (b burst) {
	for i := range s.count {
		p := b.AddText(k, tiertest.Random(r, s.size), nil, r)
		p.Buf = slices.Concat(tiertest.Random(r, headroom), p.Buf, tiertest.Random(r, 1))
		p.Off, p.AADOff, p.AADLen = headroom, uint16(headroom-s.aad), uint16(s.aad)
		if i%3 == 1 {
			p.Plain = slices.Clone(b.Plain[i])
			r.Read(p.Buf[headroom:][:s.size])
		}
	}
	return b
}

// runRow seals the burst as one that is alike, compares every byte with crypto/cipher,
// turns a bit of the tags of some packets, and opens it.
func (b *burst) runRow(t testing.TB, v vector, bad ...int) {
	t.Helper()
	ps := b.Packets
	_, alike := ciphers.SealBorder(ps)
	want := b.Wire()
	if n := v.SealRow(ps, ciphers.SlotBulk); n != len(ps) || !alike {
		t.Fatalf("alike: %t; sealed %d of %d", alike, n, len(ps))
	}
	for i := range ps {
		p, k := &ps[i], b.Keys[i]
		if !bytes.Equal(p.Buf, want[i]) || p.Status != ciphers.StatusOK {
			t.Fatalf("packet %d of %d, %d bytes: status %v\n got %x\nwant %x", i, len(ps), p.Len, p.Status, p.Buf, want[i])
		}
		p.Key, p.Len = k.Open, p.Len+fullTag
		if slices.Contains(bad, i) {
			p.Buf[int(p.Off)+int(p.Len)-1-i%fullTag] ^= 1 << (i % 8)
		}
	}
	_, alike = ciphers.OpenBorder(ps)
	if n := v.OpenRow(ps, ciphers.SlotBulk); n != len(ps)-len(bad) || !alike {
		t.Fatalf("alike: %t; opened %d of %d", alike, n, len(ps))
	}
	b.opened(t, want, bad)
}

// opened wants the plaintexts, zeros for those that were forged, and around them what
// there was.
func (b *burst) opened(t testing.TB, wire [][]byte, bad []int) {
	t.Helper()
	for i := range b.Packets {
		p, plain, status := &b.Packets[i], b.Plain[i], ciphers.StatusOK
		if slices.Contains(bad, i) {
			plain, status = make([]byte, len(plain)), ciphers.StatusAuth
		}
		if p.Status != status || !bytes.Equal(p.Opened(fullTag), plain) {
			t.Fatalf("packet %d of %d, %d bytes: status %v, %x", i, len(b.Packets), p.Len, p.Status, p.Opened(fullTag))
		}
		if end := int(p.Off) + int(p.Len); !bytes.Equal(p.Buf[:p.Off], wire[i][:p.Off]) || !bytes.Equal(p.Buf[end:], wire[i][end:]) {
			t.Fatalf("packet %d of %d, %d bytes: written beside the payload", i, len(b.Packets), p.Len)
		}
	}
}

// TestRows has every length that the kernels take and more, bursts that end anywhere in
// a quad, associated data of every length, and forgeries, and counts what they take.
func TestRows(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("rows")
		k := newKeyPair(t, tier, fullTag, r)
		for n := range maxUniformPayload + 2 {
			for _, count := range []int{4, 5, 7, 8, 12, 18, 35} {
				s := maskedShape{count: count, size: n, aad: (7*n + count) % (headroom + 1)}
				b, want := rowBurst(k, s, r), 0
				if n > 0 && n <= maxUniformPayload && s.aad <= maxUniformAAD {
					want = count &^ 3
				}
				ciphers.SealBorder(b.Packets)
				if taken, ok := v.row(b.Packets, ciphers.SlotBulk, false); taken != want || ok != want {
					t.Fatalf("%+v: %d packets taken, %d sealed, want %d", s, taken, ok, want)
				}
				b = rowBurst(k, s, r)
				b.runRow(t, v, count*n%count)
			}
		}
	})
}

// TestRowsOfAssociatedData has every length of them with payloads that end in each
// block of a register.
func TestRowsOfAssociatedData(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("rows of associated data")
		k := newKeyPair(t, tier, fullTag, r)
		for n := 3; n <= maxUniformPayload; n += 13 {
			for aad := range maxUniformAAD + 2 {
				b := rowBurst(k, maskedShape{count: 9, size: n, aad: aad}, r)
				b.runRow(t, v)
			}
		}
	})
}

// TestLongRows has bursts that take the kernels more than one call, all but a few
// packets of which are forged.
func TestLongRows(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("long rows")
		k := newKeyPair(t, tier, fullTag, r)
		for _, n := range []int{16, 100, 250, maxUniformPayload} {
			for count := ciphers.MaxBurst - 5; count <= ciphers.MaxBurst; count++ {
				b, bad := rowBurst(k, maskedShape{count: count, size: n, aad: 11}, r), []int(nil)
				for i := range count {
					if i%50 != 7 {
						bad = append(bad, i)
					}
				}
				b.runRow(t, v, bad...)
			}
		}
	})
}
