package quicadapter_test

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// What a server does with a datagram that no connection of its own takes: it answers
// versions that it does not speak with a list, and a client's first Initial with a Retry.
func ExampleHeader_Parse() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	tags, err := quicadapter.NewRetryTags(e)
	if err != nil {
		panic(err)
	}
	defer tags.Close()
	answer := func(datagram []byte) ([]byte, error) {
		var h quicadapter.Header
		drop := h.Parse(datagram, 8)
		switch {
		case drop == record.DropType && h.Type == quicadapter.OtherVersion:
			return quicadapter.AppendVersionNegotiation(nil, 0x2a, h.Source, h.Destination, quicadapter.Version1, quicadapter.Version2)
		case drop == record.DropNone && h.Type == quicadapter.Initial && len(h.Token) == 0:
			return tags.Append(nil, h.Version, h.Destination, h.Source, []byte("new ID.."), []byte("token"))
		}
		return nil, fmt.Errorf("no answer: %v, %v", h.Type, drop)
	}

	strange := []byte{0xc0, 0xfa, 0xce, 0xb0, 0x0c, 2, 1, 2, 1, 3, 0, 0, 0, 0}
	initial := []byte{0xc0, 0, 0, 0, 1, 2, 1, 2, 1, 3, 0, 4, 0, 0, 0, 0}
	for _, datagram := range [][]byte{strange, initial} {
		packet, err := answer(datagram)
		if err != nil {
			panic(err)
		}
		var h quicadapter.Header
		h.Parse(packet, 1)
		fmt.Printf("%v, offers v2: %v, token %q\n", h.Type, h.Offers(quicadapter.Version2), h.Token)
	}
	// Output:
	// Version Negotiation, offers v2: true, token ""
	// Retry, offers v2: false, token "token"
}

// A middlebox reads a client's first packet with nothing but the connection ID in it.
func ExampleConn_InstallInitial() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	id := []byte{0x83, 0x94, 0xc8, 0xf0, 0x3e, 0x51, 0x57, 0x08}
	datagram := clientInitial(e, id)

	var h quicadapter.Header
	if drop := h.Parse(datagram.Content(), 0); drop != record.DropNone {
		panic(drop)
	}
	reader := connection(e, quicadapter.Server) // it opens what clients seal
	if err := reader.InstallInitial(h.Destination); err != nil {
		panic(err)
	}
	table, err := quicadapter.NewTable(0)
	if err != nil {
		panic(err)
	}
	if err := table.Add(h.Destination, reader); err != nil {
		panic(err)
	}
	packets, _ := quicadapter.NewInbound(e, table).Open([]record.Datagram{datagram})
	for i := range packets {
		p := &packets[i]
		fmt.Printf("%v %d, %d bytes of frames: %s\n", p.Type, p.Number, p.Len, p.Content()[:12])
	}
	// Output:
	// Initial 0, 1165 bytes of frames: CRYPTO frame
}

// clientInitial is a datagram of 1200 bytes.
func clientInitial(e *engine.Engine, id []byte) record.Datagram {
	client := connection(e, quicadapter.Client)
	if err := client.InstallInitial(id); err != nil {
		panic(err)
	}
	burst := []quicadapter.Packet{{
		Datagram: record.Datagram{Buf: make([]byte, 1500), Off: quicadapter.MaxLongOverhead}, Conn: client, MinSize: 1200,
		Header: quicadapter.Header{Type: quicadapter.Initial, Destination: id},
	}}
	burst[0].Len = copy(burst[0].Buf[burst[0].Off:], "CRYPTO frame")
	if quicadapter.NewOutbound(e).Seal(burst) != 1 {
		panic(burst[0].Drop)
	}
	return burst[0].Datagram
}

// A key update: the next packet goes out in the next phase, and what the peer seals so
// comes back in it.
func ExampleConn_Update() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	client := connection(e, quicadapter.Client)
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		if err := client.Install(quicadapter.OneRTT, d, quicadapter.ChaCha20Poly1305, make([]byte, 32)); err != nil {
			panic(err)
		}
	}
	fmt.Println(client.Update())
	client.Confirm()
	fmt.Println(client.Update(), client.Phase())
	// Output:
	// quicadapter: key update before the last one is complete: the handshake is not confirmed
	// <nil> 1
}
