package capture_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
)

var (
	v4 = []byte{0x45, 1, 2, 3}
	v6 = []byte{0x60, 1, 2, 3}
)

func ether(types ...byte) []byte {
	return append([]byte{1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16}, types...)
}

func sll(proto ...byte) []byte  { return append(make([]byte, 14), proto...) }
func sll2(proto ...byte) []byte { return append(proto, make([]byte, 18)...) }

func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		name   string
		link   capture.Link
		header []byte
		ip     []byte
	}{
		{"ethernet", capture.Ethernet, ether(8, 0), v4},
		{"ethernet, IPv6", capture.Ethernet, ether(0x86, 0xdd), v6},
		{"one tag", capture.Ethernet, ether(0x81, 0, 0, 7, 8, 0), v4},
		{"two tags", capture.Ethernet, ether(0x88, 0xa8, 0, 9, 0x81, 0, 0, 7, 0x86, 0xdd), v6},
		{"raw", capture.Raw, nil, v4},
		{"null", capture.Null, []byte{2, 0, 0, 0}, v4},
		{"null, other byte order", capture.Null, []byte{0, 0, 0, 2}, v4},
		{"loop", capture.Loop, []byte{0, 0, 0, 24}, v6},
		{"cooked", capture.SLL, sll(8, 0), v4},
		{"cooked 2", capture.SLL2, sll2(0x86, 0xdd), v6},
	} {
		frame := slices.Concat(c.header, c.ip)
		if n, ok := c.link.Header(frame); !ok || n != len(c.header) {
			t.Errorf("%s: header of %d bytes, %v; want %d", c.name, n, ok, len(c.header))
		}
		for n := range len(c.header) + 1 {
			if _, ok := c.link.Header(frame[:n]); ok {
				t.Errorf("%s: cut to %d bytes it still carries IP", c.name, n)
			}
		}
	}
}

func TestFramesWithoutIP(t *testing.T) {
	for name, c := range map[string]struct {
		link  capture.Link
		frame []byte
	}{
		"ARP":            {capture.Ethernet, append(ether(8, 6), v4...)},
		"tagged ARP":     {capture.Ethernet, append(ether(0x81, 0, 0, 7, 8, 6), v4...)},
		"tags only":      {capture.Ethernet, ether(0x81, 0, 0, 7, 0x81, 0, 0, 7)},
		"lie":            {capture.Ethernet, append(ether(8, 0), 0x15)},
		"raw version 5":  {capture.Raw, []byte{0x55}},
		"cooked control": {capture.SLL, append(sll(0, 4), v4...)},
		"unknown link":   {capture.Link(99), v4},
	} {
		if _, ok := c.link.Header(c.frame); ok {
			t.Errorf("%s: taken for IP", name)
		}
	}
}

func TestVersionThereAndBack(t *testing.T) {
	for link, header := range map[capture.Link][]byte{
		capture.Ethernet: ether(0x81, 0, 0, 7, 0x86, 0xdd),
		capture.SLL:      sll(0x86, 0xdd),
		capture.SLL2:     sll2(0x86, 0xdd),
		capture.Loop:     {0, 0, 0, 30},
		capture.Null:     {30, 0, 0, 0},
		capture.Raw:      {},
	} {
		h := slices.Clone(header)
		link.SetVersion(h, 4)
		if _, ok := link.Header(append(slices.Clone(h), v4...)); !ok {
			t.Errorf("%v: % x is no header of IPv4", link, h)
		}
		if link != capture.Raw && bytes.Equal(h, header) {
			t.Errorf("%v: the header still says IPv6", link)
		}
		if link.SetVersion(h, 6); !bytes.Equal(h, header) {
			t.Errorf("%v: % x, want % x", link, h, header)
		}
	}
}

func TestReverseSwapsHosts(t *testing.T) {
	h := ether(8, 0)
	capture.Ethernet.Reverse(h)
	if want := []byte{11, 12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6, 8, 0}; !bytes.Equal(h, want) {
		t.Errorf("% x, want % x", h, want)
	}
	other := sll(8, 0)
	capture.SLL.Reverse(other)
	if !bytes.Equal(other, sll(8, 0)) {
		t.Error("a cooked header changed")
	}
}

func FuzzHeader(f *testing.F) {
	f.Add(uint16(1), ether(0x81, 0, 0, 7, 8, 0))
	f.Add(uint16(276), sll2(8, 0))
	f.Fuzz(func(t *testing.T, link uint16, frame []byte) {
		if n, ok := capture.Link(link).Header(frame); ok && n >= len(frame) {
			t.Fatalf("header of %d bytes in a frame of %d", n, len(frame))
		}
	})
}
