package aligned

import (
	"testing"
	"unsafe"
)

func TestNewStartsACacheLine(t *testing.T) {
	type space [3][64 + 1]byte
	for range 1000 {
		s := New[space]()
		if at := uintptr(unsafe.Pointer(s)) % 64; at != 0 {
			t.Fatalf("starts %d bytes into a cache line", at)
		}
		if *s != (space{}) {
			t.Fatal("is not zero")
		}
		s[2][64] = 1 // the last byte is the space's own
	}
}
