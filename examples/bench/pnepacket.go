package main

import (
	"errors"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/examples/bench/internal/contest"
	"github.com/sealburst/sealburst/examples/bench/internal/entrant"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// A whole 1-RTT packet, sealed and opened again.
const (
	packetOp  = "packet"  // by quicadapter: header, number, masks, connection table, key phase, replay window
	protectOp = "protect" // by the engine's calls alone, as the libraries do: number, nonce, masks
)

// packetSingle is what packetOp is compared with besides the libraries: quicadapter on
// the libraries, one packet a call.
const packetSingle = "adapter on std"

// packetBare tells the rows of protectOp in a contest of packetOp.
const packetBare = "the libraries without an adapter"

var adapterSuites = map[string]quicadapter.Suite{
	"aes-128-gcm": quicadapter.AES128GCM, "aes-256-gcm": quicadapter.AES256GCM,
	"chacha20-poly1305": quicadapter.ChaCha20Poly1305, "aes-128-ccm": quicadapter.AES128CCM,
}

var packetID = [8]byte([]byte("8 bytes."))

// payloadOff is where payloads start in their buffers: on a cache line, as who cares for
// speed lays them out.
const payloadOff = 64

// packetBuffers are buffers for packets of n bytes, with room on both sides. They are one
// allocation, which begins on a page.
func packetBuffers(packets, n int) [][]byte {
	stride := (payloadOff + n + quicadapter.MinTailroom + payloadOff - 1) / payloadOff * payloadOff
	arena, all := make([]byte, max(1<<16, packets*stride)), make([][]byte, packets)
	for i := range all {
		all[i] = arena[i*stride:][:stride:stride]
	}
	return all
}

// packetCell compares quicadapter and the engine alone, both in bursts, with the libraries
// one packet at a time, and quicadapter also with itself on the libraries. All of them go
// round as many buffers.
func packetCell(suite load.Suite, n, burst int, e, std *entrant.Entrant) (*contest.Contest, error) {
	c := &contest.Contest{Bytes: float64(n)}
	c.Row = table.Row{Table: "pne", Op: packetOp, Alg: suite.Name, Bytes: n, Burst: burst, Keys: 1}
	single, err := newSinglePackets(suite, n, burst)
	if err != nil {
		return nil, err
	}
	base := c.Add(pair.Contestant{Name: load.Library, Items: burst, Run: single.run})
	whole, err := enterPackets(c, suite, n, burst, burst, e)
	if err != nil {
		return nil, err
	}
	c.Compare(whole, base, load.Library)
	lone, err := enterPackets(c, suite, n, burst, 1, std)
	if err != nil {
		return nil, err
	}
	c.Compare(whole, lone, packetSingle)
	bare, err := newEnginePackets(suite, n, burst, e)
	if err != nil {
		return nil, err
	}
	c.Finally(bare.close)
	c.Compare(c.Add(pair.Contestant{Name: e.Name, Items: burst, Run: bare.run}), base, packetBare)
	return c, nil
}

// enterPackets lets quicadapter take packets in calls of so many.
func enterPackets(c *contest.Contest, suite load.Suite, n, packets, burst int, e *entrant.Entrant) (int, error) {
	a, err := newAdapterPackets(suite, n, packets, e)
	if err != nil {
		return 0, err
	}
	a.burst = burst
	c.Finally(a.close)
	return c.Add(pair.Contestant{Name: e.Name, Items: packets, Run: a.run}), nil
}

// adapterPackets goes through quicadapter, to a peer and back to the payload.
type adapterPackets struct {
	from, to *quicadapter.Conn
	out      *quicadapter.Outbound
	in       *quicadapter.Inbound
	packets  []quicadapter.Packet
	wire     []record.Datagram
	off, n   int
	burst    int // packets a call
}

func newAdapterPackets(suite load.Suite, n, burst int, e *entrant.Entrant) (*adapterPackets, error) {
	a := &adapterPackets{off: payloadOff, n: n}
	secret := make([]byte, 48)
	if suite.Alg != ciphers.AES256GCM {
		secret = secret[:32]
	}
	for side, place := range map[quicadapter.Side]**quicadapter.Conn{quicadapter.Client: &a.from, quicadapter.Server: &a.to} {
		conn, err := quicadapter.NewConn(quicadapter.ConnConfig{Engine: e.Engine, Version: quicadapter.Version1, Side: side})
		if err != nil {
			return nil, err
		}
		for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
			if err := conn.Install(quicadapter.OneRTT, d, adapterSuites[suite.Name], secret); err != nil {
				return nil, err
			}
		}
		conn.Confirm()
		*place = conn
	}
	table, err := quicadapter.NewTable(len(packetID))
	if err != nil {
		return nil, err
	}
	if err := table.Add(packetID[:], a.to); err != nil {
		return nil, err
	}
	a.out, a.in = quicadapter.NewOutbound(e.Engine), quicadapter.NewInbound(e.Engine, table)
	a.packets, a.wire = make([]quicadapter.Packet, burst), make([]record.Datagram, burst)
	for i, buf := range packetBuffers(burst, n) {
		a.packets[i] = quicadapter.Packet{
			Datagram: record.Datagram{Buf: buf}, Conn: a.from,
			Header: quicadapter.Header{Type: quicadapter.OneRTT, Destination: packetID[:]},
		}
	}
	return a, nil
}

func (a *adapterPackets) close() {
	a.from.Close()
	a.to.Close()
}

var errPacket = errors.New("a packet did not arrive")

func (a *adapterPackets) run(n int) error {
	for range n {
		for from := 0; from < len(a.packets); from += a.burst {
			if err := a.seal(a.packets[from:][:a.burst], a.wire[from:]); err != nil {
				return err
			}
		}
		for from := 0; from < len(a.packets); from += a.burst {
			if err := a.open(a.wire[from:][:a.burst]); err != nil {
				return err
			}
		}
		if err := a.acknowledge(); err != nil {
			return err
		}
	}
	return nil
}

func (a *adapterPackets) seal(burst []quicadapter.Packet, wire []record.Datagram) error {
	for i := range burst {
		burst[i].Off, burst[i].Len = a.off, a.n
	}
	if a.out.Seal(burst) != len(burst) {
		return fmt.Errorf("%w: %v", errPacket, burst[0].Drop)
	}
	for i := range burst {
		wire[i] = burst[i].Datagram
	}
	return nil
}

func (a *adapterPackets) open(wire []record.Datagram) error {
	if opened, ok := a.in.Open(wire); ok != len(wire) || opened[0].Len != a.n {
		return fmt.Errorf("%w: %v", errPacket, opened[0].Drop)
	}
	return nil
}

// acknowledge keeps numbers short, and updates keys where that is due.
func (a *adapterPackets) acknowledge() error {
	if err := a.from.Acknowledged(quicadapter.OneRTT, a.packets[len(a.packets)-1].Number); err != nil {
		return err
	}
	if !a.from.UpdateDue() {
		return nil
	}
	return a.from.Update()
}
