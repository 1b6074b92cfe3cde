//go:build !purego

package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

// TestRowGuardPages has one of nine packets, or its plaintext, begin or end where memory
// does. What is read behind associated data does not go further than their buffer.
func TestRowGuardPages(t *testing.T) {
	eachUniform(t, func(t *testing.T, tier tiertest.Tier, v vector) {
		r := tiertest.Source("row guard")
		k := newKeyPair(t, tier, fullTag, r)
		buf, plain := tiertest.Guarded(t, 1), tiertest.Guarded(t, 1)
		for n := 1; n <= maxUniformPayload; n += 1 + n/70 {
			for at := range 9 {
				for _, last := range []bool{false, true} {
					b := rowBurst(k, maskedShape{count: 9, size: n, aad: (n + at) % (maxUniformAAD + 1)}, r)
					for i := range b.Packets {
						p := &b.Packets[i]
						p.Buf = p.Buf[p.AADOff : len(p.Buf)-1]
						p.Off, p.AADOff = p.AADLen, 0
					}
					p := &b.Packets[at]
					if p.Buf = tiertest.Placed(buf, p.Buf, last); p.Plain != nil {
						p.Plain = tiertest.Placed(plain, p.Plain, last)
					}
					b.runRow(t, v)
				}
			}
		}
	})
}
