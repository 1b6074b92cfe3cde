package vpn

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"
)

func TestAssignmentBytes(t *testing.T) {
	for _, c := range []struct {
		a    Assignment
		wire []byte
	}{
		{Assignment{netip.MustParsePrefix("10.99.0.2/24"), 1400}, []byte{2, 24, 5, 0x78, 10, 99, 0, 2}},
		{Assignment{netip.MustParsePrefix("fd00::2/64"), 9000}, []byte{2, 64, 0x23, 0x28, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}},
	} {
		if got := appendAssignment(nil, c.a); !bytes.Equal(got, c.wire) {
			t.Errorf("%v is % x, want % x", c.a, got, c.wire)
		}
		if got, err := parseAssignment(c.wire); err != nil || got != c.a {
			t.Errorf("% x is %v, %v; want %v", c.wire, got, err, c.a)
		}
		for n := range len(c.wire) {
			if got, err := parseAssignment(c.wire[:n]); !errors.Is(err, ErrControl) {
				t.Errorf("cut to %d bytes: %v, %v", n, got, err)
			}
		}
	}
}

func TestAssignmentsThatMakeNoSense(t *testing.T) {
	for name, wire := range map[string][]byte{
		"a request":    {1, 24, 5, 0x78, 10, 99, 0, 2},
		"33 bits":      {2, 33, 5, 0x78, 10, 99, 0, 2},
		"a tiny MTU":   {2, 24, 2, 0x3f, 10, 99, 0, 2},
		"five bytes":   {2, 24, 5, 0x78, 10, 99, 0, 2, 0},
		"no address":   {2, 24, 5, 0x78},
		"a lone byte":  {2},
		"nothing":      {},
		"an IP packet": {0x45, 24, 5, 0x78, 10, 99, 0, 2},
	} {
		if a, err := parseAssignment(wire); !errors.Is(err, ErrControl) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}

func TestRefusalGivesTheReason(t *testing.T) {
	_, err := parseAnswer(append([]byte{kindRefusal}, "no room\n"...))
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Reason != "no room\n" || err.Error() != `vpn: the server refuses: "no room\n"` {
		t.Errorf("%v", err)
	}
	if a, err := parseAnswer([]byte{2, 24, 5, 0x78, 10, 99, 0, 2}); err != nil || a.MTU != 1400 {
		t.Errorf("%v, %v", a, err)
	}
}

func TestControlIsToldFromPackets(t *testing.T) {
	for first := range 256 {
		message := []byte{byte(first)}
		if version := first >> 4; isControl(message) != (version == 0) {
			t.Errorf("first byte %#x: control %v", first, isControl(message))
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte{2, 24, 5, 0x78, 10, 99, 0, 2})
	f.Add([]byte("\x03reason"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		if a, err := parseAnswer(wire); err == nil && !bytes.Equal(appendAssignment(nil, a), wire) {
			t.Fatalf("%v is not % x", a, wire)
		}
	})
}
