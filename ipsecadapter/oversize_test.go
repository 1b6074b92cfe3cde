package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// TestOversizedDatagramIsNotCutToTheGenuinePacket puts 65536 bytes of a
// stranger's behind a genuine packet of GMAC, all of which is associated data:
// lengths of 16 bits would see the genuine packet alone, and take its trailer
// from the stranger.
func TestOversizedDatagramIsNotCutToTheGenuinePacket(t *testing.T) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	a := Association{SPI: 0x1234, Transform: AES128GMAC, Key: make([]byte, AES128GMAC.KeySize()), Mode: Tunnel, Carrier: InSocket}
	out, err := NewOutboundSA(e, OutboundConfig{Association: a})
	if err != nil {
		t.Fatal(err)
	}
	in, err := NewInboundSA(e, InboundConfig{Association: a})
	if err != nil {
		t.Fatal(err)
	}
	db := NewDatabase()
	if err := db.Add(in); err != nil {
		t.Fatal(err)
	}
	inner := make([]byte, 28)
	inner[0], inner[8], inner[9] = 0x45, 64, 17
	binary.BigEndian.PutUint16(inner[2:], uint16(len(inner)))
	buf := make([]byte, 300)
	copy(buf[100:], inner)
	sealed := []record.Datagram{{Buf: buf, Off: 100, Len: len(inner)}}
	if NewOutbound(e).Protect(sealed, []*OutboundSA{out}) != 1 {
		t.Fatal(sealed[0].Drop)
	}
	genuine := bytes.Clone(sealed[0].Content())
	forged := append(bytes.Clone(genuine), make([]byte, 1<<16)...)
	forged[len(forged)-16-1] = 4 // a next header in front of where the ICV would be
	burst := []record.Datagram{{Buf: forged, Len: len(forged)}, {Buf: genuine, Len: len(genuine)}}
	if n := NewInbound(e, db, InboundOptions{Socket: true}).Unprotect(burst, nil); n != 1 {
		t.Errorf("%d accepted, want the genuine one", n)
	}
	if burst[0].Drop != record.DropTooLong || burst[1].Drop != record.DropNone {
		t.Errorf("dropped for %v and %v", burst[0].Drop, burst[1].Drop)
	}
}
