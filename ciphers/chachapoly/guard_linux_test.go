package chachapoly

import (
	"os"
	"syscall"
	"testing"
)

// guarded is memory between pages that must not be touched.
func guarded(t *testing.T, pages int) []byte {
	t.Helper()
	size := os.Getpagesize()
	all, err := syscall.Mmap(-1, 0, (pages+2)*size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(all); err != nil {
			t.Error(err)
		}
	})
	inner := all[size : (pages+1)*size : (pages+1)*size]
	if err := syscall.Mprotect(inner, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return inner
}

// placed copies data to the start or to the end of room.
func placed(room, data []byte, last bool) []byte {
	at := room[:len(data):len(data)]
	if last {
		at = room[len(room)-len(data):]
	}
	copy(at, data)
	return at
}

// TestGuardPages has the buffer, plaintext and associated data of a packet in a burst begin
// or end where memory does: an access outside them faults.
func TestGuardPages(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		r := source("guard")
		k := newKeyPair(t, tier.impl, r)
		buf, plain, aad := guarded(t, 2), guarded(t, 2), guarded(t, 1)
		for n := range 1500 {
			if testing.Short() && n > 300 && n%64 > 1 {
				continue
			}
			for _, last := range []bool{false, true} {
				var b burst
				for range 9 {
					b.add(k, random(r, n), random(r, n%49), r)
				}
				p := &b.packets[n%9]
				if n%3 == 0 {
					inBuffer(p, len(p.Prefix))
				}
				p.Buf = placed(buf, p.Buf, last)
				p.Prefix = placed(aad, p.Prefix, last)
				if n%2 == 1 {
					p.Plain = placed(plain, b.plain[n%9], last)
				}
				b.run(t, tier.impl)
			}
		}
	})
}

// TestGuardPagesAround has all packets of a burst lie in memory one behind the other, up to
// its end, where a write behind one would spoil the next.
func TestGuardPagesAround(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		r := source("guard around")
		k := newKeyPair(t, tier.impl, r)
		room := guarded(t, 9)
		for n := 0; n < 1800; n += 1 + n/200*13 {
			var b burst
			end := len(room)
			for i := range 17 {
				p := b.add(k, random(r, n+i%5), nil, r)
				at := room[end-len(p.Buf) : end : end]
				copy(at, p.Buf)
				end -= len(p.Buf)
				p.Buf = at
			}
			b.run(t, tier.impl)
		}
	})
}
