package tiertest

import (
	"os"
	"syscall"
	"testing"
)

// Guarded is memory of so many pages between two that must not be touched.
func Guarded(t *testing.T, pages int) []byte {
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

// Placed copies data to the start or to the end of room.
func Placed(room, data []byte, last bool) []byte {
	at := room[:len(data):len(data)]
	if last {
		at = room[len(room)-len(data):]
	}
	copy(at, data)
	return at
}
