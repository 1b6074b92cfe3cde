package record

import (
	"bytes"
	"math"
	"testing"
)

func TestDatagramGrowAndShrink(t *testing.T) {
	buf := []byte("HHHpayloadTT")
	d := Datagram{Buf: buf, Off: 3, Len: 7}
	if !d.Grow(3, 2) || !bytes.Equal(d.Content(), buf) || d.Headroom() != 0 || d.Tailroom() != 0 {
		t.Errorf("grown to %q", d.Content())
	}
	if !d.Shrink(3, 2) || string(d.Content()) != "payload" || d.Headroom() != 3 || d.Tailroom() != 2 {
		t.Errorf("shrunk to %q", d.Content())
	}
	if !d.Shrink(7, 0) || len(d.Content()) != 0 || !d.Valid() {
		t.Errorf("shrunk to %q", d.Content())
	}
	if d.Drop != DropNone {
		t.Errorf("dropped: %v", d.Drop)
	}
}

func TestDatagramWithoutRoom(t *testing.T) {
	tests := []struct {
		name string
		call func(*Datagram) bool
		want Drop
	}{
		{"front", func(d *Datagram) bool { return d.Grow(4, 2) }, DropHeadroom},
		{"back", func(d *Datagram) bool { return d.Grow(3, 3) }, DropTailroom},
		{"both", func(d *Datagram) bool { return d.Grow(4, 3) }, DropHeadroom},
		{"header", func(d *Datagram) bool { return d.Shrink(8, 0) }, DropTruncated},
		{"trailer", func(d *Datagram) bool { return d.Shrink(0, 8) }, DropTruncated},
		{"both ends", func(d *Datagram) bool { return d.Shrink(4, 4) }, DropTruncated},
		{"overflow", func(d *Datagram) bool { return d.Shrink(1, math.MaxInt) }, DropTruncated},
	}
	for _, test := range tests {
		d := Datagram{Buf: make([]byte, 12), Off: 3, Len: 7}
		if test.call(&d) || d.Drop != test.want || d.Off != 3 || d.Len != 7 {
			t.Errorf("%s: %v at %d, %d, want %v", test.name, d.Drop, d.Off, d.Len, test.want)
		}
	}
}

func TestDatagramValid(t *testing.T) {
	for _, test := range []struct {
		off, length int
		want        bool
	}{
		{0, 0, true}, {0, 12, true}, {12, 0, true}, {3, 9, true},
		{0, 13, false}, {13, 0, false}, {4, 9, false}, {-1, 1, false}, {1, -1, false},
		{1, math.MaxInt, false}, {math.MaxInt, 1, false}, {math.MaxInt, math.MaxInt, false},
	} {
		d := Datagram{Buf: make([]byte, 12), Off: test.off, Len: test.length}
		if d.Valid() != test.want {
			t.Errorf("Valid with Off %d, Len %d = %v", test.off, test.length, !test.want)
		}
	}
}

// TestContentCannotReachBehind appends to the content, which must not write into the tailroom.
func TestContentCannotReachBehind(t *testing.T) {
	d := Datagram{Buf: []byte("abcdef"), Off: 1, Len: 2}
	_ = append(d.Content(), 'X')
	if string(d.Buf) != "abcdef" {
		t.Errorf("buffer is %q", d.Buf)
	}
}
