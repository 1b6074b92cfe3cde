package quicadapter_test

import (
	"fmt"

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
