package ipsecadapter_test

import (
	"crypto"
	"fmt"
	"net/netip"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// Example sends an IP packet through a tunnel whose keys come from an IKEv2 exchange.
func Example() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	skd, ni, nr := make([]byte, 32), []byte("initiator's nonce"), []byte("responder's nonce")
	keys, err := ipsecadapter.DeriveChildKeys(ipsecadapter.AES128GCM16, crypto.SHA256, skd, nil, ni, nr)
	if err != nil {
		panic(err)
	}
	sa := ipsecadapter.Association{
		SPI: 0x10203040, Transform: ipsecadapter.AES128GCM16, Key: keys.Initiator, Mode: ipsecadapter.Tunnel,
		Source: netip.MustParseAddr("192.0.2.1"), Destination: netip.MustParseAddr("192.0.2.2"),
	}
	outbound, err := ipsecadapter.NewOutboundSA(e, ipsecadapter.OutboundConfig{Association: sa})
	if err != nil {
		panic(err)
	}
	inbound, err := ipsecadapter.NewInboundSA(e, ipsecadapter.InboundConfig{Association: sa})
	if err != nil {
		panic(err)
	}
	db := ipsecadapter.NewDatabase()
	if err := db.Add(inbound); err != nil {
		panic(err)
	}

	packet := []byte{0x45, 0, 0, 24, 0, 0, 0, 0, 64, 253, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 'p', 'i', 'n', 'g'}
	buf := make([]byte, outbound.Headroom()+len(packet)+outbound.Tailroom())
	copy(buf[outbound.Headroom():], packet)
	burst := []record.Datagram{{Buf: buf, Off: outbound.Headroom(), Len: len(packet)}}

	n := ipsecadapter.NewOutbound(e).Protect(burst, []*ipsecadapter.OutboundSA{outbound})
	fmt.Println(n, "sealed to", burst[0].Len, "bytes")
	n = ipsecadapter.NewInbound(e, db, ipsecadapter.InboundOptions{}).Unprotect(burst, nil)
	fmt.Printf("%d opened: %s\n", n, burst[0].Content()[20:])
	// Output:
	// 1 sealed to 80 bytes
	// 1 opened: ping
}

// Example_bundle protects a packet by ESP in transport mode and then by AH around it, with
// keys that were set by hand.
func Example_bundle() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	esp := ipsecadapter.Association{
		SPI: 0x1001, Mode: ipsecadapter.Transport,
		Transform: ipsecadapter.EncryptThenMAC(ciphers.AES256CBC, ciphers.HMACSHA256), Key: make([]byte, 64),
	}
	ah := ipsecadapter.Association{
		Protocol: ipsecadapter.AH, SPI: 0x1001, Mode: ipsecadapter.Transport,
		Transform: ipsecadapter.EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA256), Key: make([]byte, 32),
	}
	db := ipsecadapter.NewDatabase()
	var senders [2][]*ipsecadapter.OutboundSA
	front, back := 0, 0
	for i, a := range []ipsecadapter.Association{esp, ah} {
		outbound, err := ipsecadapter.NewOutboundSA(e, ipsecadapter.OutboundConfig{Association: a})
		if err != nil {
			panic(err)
		}
		inbound, err := ipsecadapter.NewInboundSA(e, ipsecadapter.InboundConfig{Association: a})
		if err != nil {
			panic(err)
		}
		if err := db.Add(inbound); err != nil {
			panic(err)
		}
		senders[i] = []*ipsecadapter.OutboundSA{outbound}
		front, back = front+outbound.Headroom(), back+outbound.Tailroom()
	}

	packet := []byte{0x45, 0, 0, 24, 0, 0, 0, 0, 64, 253, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 'p', 'i', 'n', 'g'}
	buf := make([]byte, front+len(packet)+back)
	copy(buf[front:], packet)
	burst := []record.Datagram{{Buf: buf, Off: front, Len: len(packet)}}

	out, in := ipsecadapter.NewOutbound(e), ipsecadapter.NewInbound(e, db, ipsecadapter.InboundOptions{})
	out.Protect(burst, senders[0])
	out.Protect(burst, senders[1])
	fmt.Println("protocol", burst[0].Content()[9], "and in it", burst[0].Content()[20])
	by := make([]*ipsecadapter.InboundSA, 1)
	for range senders {
		in.Unprotect(burst, by)
		fmt.Println("through", by[0].Protocol())
	}
	fmt.Printf("%s\n", burst[0].Content()[20:])
	// Output:
	// protocol 51 and in it 50
	// through AH
	// through ESP
	// ping
}
