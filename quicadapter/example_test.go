package quicadapter_test

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// A burst of two packets from a client to a server. The secret would come from TLS.
func Example() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	secret := make([]byte, 32)
	client, server := connection(e, quicadapter.Client), connection(e, quicadapter.Server)
	if err := client.Install(quicadapter.OneRTT, ciphers.Sealing, quicadapter.AES128GCM, secret); err != nil {
		panic(err)
	}
	if err := server.Install(quicadapter.OneRTT, ciphers.Opening, quicadapter.AES128GCM, secret); err != nil {
		panic(err)
	}

	id := []byte("the server's ID")
	packets := make([]quicadapter.Packet, 2)
	for i := range packets {
		const room = quicadapter.MaxShortOverhead
		buf := make([]byte, room+100+quicadapter.MinTailroom)
		n := copy(buf[room:], fmt.Sprintf("payload %d", i))
		packets[i] = quicadapter.Packet{
			Datagram: record.Datagram{Buf: buf, Off: room, Len: n}, Conn: client,
			Header: quicadapter.Header{Type: quicadapter.OneRTT, Destination: id},
		}
	}
	fmt.Println("sealed", quicadapter.NewOutbound(e).Seal(packets))

	table, err := quicadapter.NewTable(len(id))
	if err != nil {
		panic(err)
	}
	if err := table.Add(id, server); err != nil {
		panic(err)
	}
	datagrams := []record.Datagram{packets[0].Datagram, packets[1].Datagram}
	opened, n := quicadapter.NewInbound(e, table).Open(datagrams)
	fmt.Println("opened", n)
	for i := range opened {
		fmt.Printf("%v %d: %s\n", opened[i].Type, opened[i].Number, opened[i].Content())
	}
	// Output:
	// sealed 2
	// opened 2
	// 1-RTT 0: payload 0
	// 1-RTT 1: payload 1
}

func connection(e *engine.Engine, side quicadapter.Side) *quicadapter.Conn {
	c, err := quicadapter.NewConn(quicadapter.ConnConfig{Engine: e, Version: quicadapter.Version1, Side: side})
	if err != nil {
		panic(err)
	}
	return c
}
