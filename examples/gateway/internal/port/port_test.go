package port_test

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

func TestBurstHasRoomForRecords(t *testing.T) {
	for _, d := range port.NewBurst(3, 1400) {
		if !port.Put(&d, make([]byte, 1400)) {
			t.Fatal("the packet does not fit")
		}
		if d.Headroom() < dtlsadapter.Headroom || d.Tailroom() < dtlsadapter.Tailroom {
			t.Errorf("%d bytes before and %d behind", d.Headroom(), d.Tailroom())
		}
	}
}

// TestBurstHasRoomForESP adds up the longest headers and trailer of a tunnel: IPv6 and UDP, a
// block of IV, a block of padding and the longest ICV.
func TestBurstHasRoomForESP(t *testing.T) {
	const front, behind = 40 + 8 + 8 + 16, 15 + 2 + 32
	if port.Headroom < front || port.Tailroom < behind {
		t.Errorf("%d bytes before and %d behind, want %d and %d", port.Headroom, port.Tailroom, front, behind)
	}
}

func TestPut(t *testing.T) {
	d := port.NewBurst(2, 8)[0]
	d.Drop = record.DropFailed
	if !port.Put(&d, []byte("packet")) || d.Drop != record.DropNone || !bytes.Equal(d.Content(), []byte("packet")) {
		t.Errorf("%q, %v", d.Content(), d.Drop)
	}
	if port.Put(&d, make([]byte, 8+port.Tailroom+1)) || d.Drop != record.DropTooLong || d.Len != 0 {
		t.Errorf("a packet that is too long: %d bytes, %v", d.Len, d.Drop)
	}
	small := record.Datagram{Buf: make([]byte, port.Headroom-1)}
	if port.Put(&small, nil) || !small.Valid() && small.Drop != record.DropTooLong {
		t.Error("a buffer shorter than the headroom took a packet")
	}
}
