package hpmask

import (
	"os"
	"syscall"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// guarded is a page between two that must not be touched.
func guarded(t *testing.T) []byte {
	t.Helper()
	size := os.Getpagesize()
	pages, err := syscall.Mmap(-1, 0, 3*size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(pages) })
	page := pages[size : 2*size : 2*size]
	if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	return page
}

// TestGuardPages has samples at both ends of a page and the last mask at the end
// of one: a load or store that is wider than 16 bytes faults.
func TestGuardPages(t *testing.T) {
	eachTier(t, func(t *testing.T, tier tier) {
		first, last, to := guarded(t), guarded(t), guarded(t)
		for n := 1; n <= 40; n++ {
			s := newScene(t, tier, n, func(i int) int { return i / 20 })
			for i := range n {
				at, buf := 0, first[:ciphers.MaskSize:ciphers.MaskSize]
				if i%2 == 1 {
					at, buf = len(last)-ciphers.MaskSize, last
				}
				copy(buf[at:], s.packets[i].Sample())
				s.packets[i].Buf, s.packets[i].SampleOff = buf, uint16(at)
				s.twins[i].Buf, s.twins[i].SampleOff = buf, uint16(at)
			}
			s.dst = to[len(to)-len(s.dst):]
			compare(t, tier, s)
		}
	})
}
