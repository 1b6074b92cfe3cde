package quicadapter_test

import (
	"fmt"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

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
	// A server's side opens what clients seal.
	reader, err := quicadapter.NewConn(quicadapter.ConnConfig{Engine: e, Version: quicadapter.Version1, Side: quicadapter.Server})
	if err != nil {
		panic(err)
	}
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
	client, err := quicadapter.NewConn(quicadapter.ConnConfig{Engine: e, Version: quicadapter.Version1, Side: quicadapter.Client})
	if err != nil {
		panic(err)
	}
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
