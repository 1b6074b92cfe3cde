package main

import (
	"bytes"
	"fmt"
	"net/netip"
	"slices"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// window is how far out of order packets may stand in a capture.
const window = 8192

// dump follows the connections of a capture.
type dump struct {
	engine  *engine.Engine
	secrets secrets
	flows   map[[2]netip.AddrPort]*way
	packets []*packet
	failed  int
	refused []error // why secrets made no keys; their packets stay unopened
}

func newDump(e *engine.Engine, s secrets) *dump {
	return &dump{engine: e, secrets: s, flows: map[[2]netip.AddrPort]*way{}}
}

// connection is one of the capture's.
type connection struct {
	dump           *dump
	client, server way
	keyed          bool
	retries        [][]byte // the IDs that Retry packets offered
}

// way is one direction of a connection, as its receiver would see it.
type way struct {
	connection *connection
	fromClient bool
	conn       *quicadapter.Conn
	in         *quicadapter.Inbound
	ids        [][]byte // that the receiver goes by
	idSize     int      // of those in short headers
	hello      hello
	held       []held
	seen       map[place]*packet
}

// place is what tells a packet of a way from all others; 0-RTT and 1-RTT share numbers and
// no packet.
type place struct {
	kind   quicadapter.Type
	number uint64
}

// held is a packet that waits for its keys.
type held struct {
	packet *packet
	wire   []byte
}

// labels of a key log for each type and side (RFC 8446 section 7.1).
var labels = map[quicadapter.Type][2]string{
	quicadapter.ZeroRTT:   {"CLIENT_EARLY_TRAFFIC_SECRET", ""},
	quicadapter.Handshake: {"CLIENT_HANDSHAKE_TRAFFIC_SECRET", "SERVER_HANDSHAKE_TRAFFIC_SECRET"},
	quicadapter.OneRTT:    {"CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"},
}

// datagram takes one datagram in. What is of no connection that began in the capture is
// passed over.
func (d *dump) datagram(g datagram) {
	w := d.flows[[2]netip.AddrPort{g.from, g.to}]
	if w == nil {
		if w = d.begin(g); w == nil {
			return
		}
	}
	w.open(g)
}

// begin makes a connection of a client's first Initial.
func (d *dump) begin(g datagram) *way {
	var h quicadapter.Header
	if h.Parse(g.payload, 0) != record.DropNone || h.Type != quicadapter.Initial {
		return nil
	}
	c := &connection{dump: d}
	for side, w := range map[quicadapter.Side]*way{quicadapter.Server: &c.client, quicadapter.Client: &c.server} {
		conn, err := quicadapter.NewConn(quicadapter.ConnConfig{Engine: d.engine, Version: h.Version, Side: side, Window: window})
		if err != nil || conn.InstallInitial(h.Destination) != nil {
			return nil
		}
		w.connection, w.conn, w.fromClient, w.seen = c, conn, side == quicadapter.Server, map[place]*packet{}
	}
	c.client.know(h.Destination, len(h.Destination))
	c.server.know(h.Source, len(h.Source))
	d.flows[[2]netip.AddrPort{g.from, g.to}] = &c.client
	d.flows[[2]netip.AddrPort{g.to, g.from}] = &c.server
	return &c.client
}

// know adds an ID that the receiver goes by, and remembers how long those in short
// headers are.
func (w *way) know(id []byte, size int) {
	for _, known := range w.ids {
		if bytes.Equal(known, id) && w.idSize == size {
			return
		}
	}
	w.ids, w.idSize = append(w.ids, bytes.Clone(id)), size
	table, err := quicadapter.NewTable(size)
	if err != nil {
		return // the header parser lets no such ID through
	}
	table.AcceptGreased() // who announced it does not matter to a reader
	for _, id := range w.ids {
		_ = table.Add(id, w.conn) // an ID that is there twice is there
	}
	w.in = quicadapter.NewInbound(w.connection.dump.engine, table)
}

// open opens a datagram and lists its packets.
func (w *way) open(g datagram) {
	if w.fromClient {
		w.connection.follow(g.payload)
	}
	buf := bytes.Clone(g.payload)
	found, _ := w.in.Open([]record.Datagram{{Buf: buf, Len: len(buf)}})
	for i := range found {
		p := newPacket(&g, w.fromClient)
		w.connection.dump.packets = append(w.connection.dump.packets, p)
		w.take(p, &found[i])
	}
	w.connection.install()
	w.connection.openHeld()
}

// take takes what was found of a packet.
func (w *way) take(p *packet, found *quicadapter.Packet) {
	p.describe(found)
	if found.Drop == record.DropEpoch {
		w.held = append(w.held, held{p, bytes.Clone(found.Content())})
		return
	}
	at := place{found.Type, found.Number}
	if first := w.seen[at]; found.Drop == record.DropReplayed && first != nil {
		p.repeat(first)
		return
	}
	if found.Drop != record.DropNone {
		p.Error = found.Drop.String()
		w.connection.dump.failed++
		return
	}
	if found.Type == quicadapter.Retry && !w.fromClient {
		w.connection.retries = append(w.connection.retries, bytes.Clone(found.Source))
	}
	if found.Type.HasKeys() {
		w.seen[at] = p
		w.learn(p, found)
	}
}

// follow gives both ways new Initial keys when the client takes up a Retry. Of several it
// takes the first that reaches it, which need not be the first in the capture.
func (c *connection) follow(payload []byte) {
	var h quicadapter.Header
	if h.ParseGreased(payload, 0) != record.DropNone || h.Type != quicadapter.Initial {
		return
	}
	if !slices.ContainsFunc(c.retries, func(id []byte) bool { return bytes.Equal(id, h.Destination) }) {
		return
	}
	c.retries = nil
	c.client.know(h.Destination, len(h.Destination))
	for _, w := range []*way{&c.client, &c.server} {
		_ = w.conn.InstallInitial(h.Destination) // Initial keys may always be replaced here
	}
}

// learn reads a packet's frames, and what they say about the connection.
func (w *way) learn(p *packet, found *quicadapter.Packet) {
	other := &w.connection.server
	if !w.fromClient {
		other = &w.connection.client
	}
	if found.Type != quicadapter.OneRTT {
		other.know(found.Source, len(found.Source))
	}
	for rest := found.Content(); len(rest) > 0; {
		f, next, err := frame.Read(rest)
		if err != nil {
			p.Error = err.Error()
			w.connection.dump.failed++
			return
		}
		p.add(&f)
		switch {
		case f.Type == frame.Crypto && found.Type == quicadapter.Initial:
			w.hello.take(&f)
		case f.Type == frame.NewConnectionID:
			other.know(f.Data, len(f.Data))
		}
		rest = next
	}
}

// install installs the secrets, once client random and suite are known.
func (c *connection) install() {
	random, ok := c.client.hello.random()
	suite, chosen := c.server.hello.suite()
	if !ok || !chosen || c.keyed {
		return
	}
	c.keyed = true
	for _, typ := range [...]quicadapter.Type{quicadapter.ZeroRTT, quicadapter.Handshake, quicadapter.OneRTT} {
		for i, w := range []*way{&c.client, &c.server} {
			secret, found := c.dump.secrets[random][labels[typ][i]]
			if !found {
				continue
			}
			if err := w.conn.Install(typ, ciphers.Opening, suite, secret.bytes); err != nil {
				c.dump.refused = append(c.dump.refused, fmt.Errorf("key log, line %d: no keys for %v: %w", secret.line, suite, err))
			}
		}
	}
}

// openHeld opens what waited for the keys that are there now.
func (c *connection) openHeld() {
	for _, w := range []*way{&c.client, &c.server} {
		waiting := w.held
		w.held = nil
		for _, h := range waiting {
			if !w.conn.CanOpen(h.packet.kind) {
				w.held = append(w.held, h)
				continue
			}
			found, _ := w.in.Open([]record.Datagram{{Buf: h.wire, Len: len(h.wire)}})
			w.take(h.packet, &found[0])
		}
	}
}

// giveUp marks the packets whose keys never came.
func (d *dump) giveUp() {
	for _, w := range d.flows {
		for _, h := range w.held {
			h.packet.Error = "no keys"
			d.failed++
		}
		w.held = nil
	}
}
