package quicadapter

import (
	"bytes"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// shared is one engine for all tests: its self-test takes longer than most of them.
var shared = sync.OnceValues(func() (*engine.Engine, error) { return engine.New(engine.Config{}) })

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// link is a client and a server that share an engine and one table for what arrives.
type link struct {
	testing.TB
	engine *engine.Engine
	client *Conn
	server *Conn
	out    *Outbound
	in     *Inbound
	table  *Table
}

func newLink(t testing.TB, v Version) *link { return newLinkWith(t, v, 0) }

func newLinkWith(t testing.TB, v Version, idSize int) *link {
	t.Helper()
	return newLinkOn(t, newEngine(t), v, idSize)
}

func newLinkOn(t testing.TB, e *engine.Engine, v Version, idSize int) *link {
	t.Helper()
	table, err := NewTable(idSize)
	if err != nil {
		t.Fatal(err)
	}
	return &link{
		TB: t, engine: e, client: newConn(t, e, v, Client), server: newConn(t, e, v, Server),
		out: NewOutbound(e), in: NewInbound(e, table), table: table,
	}
}

func newConn(t testing.TB, e *engine.Engine, v Version, s Side) *Conn {
	t.Helper()
	c, err := NewConn(ConnConfig{Engine: e, Version: v, Side: s})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// initial installs the keys of Initial packets on both sides.
func (l *link) initial(dcid string) {
	l.Helper()
	for _, c := range []*Conn{l.client, l.server} {
		if err := c.InstallInitial(unhex(l, dcid)); err != nil {
			l.Fatal(err)
		}
	}
}

// both installs one secret in both directions of both sides.
func (l *link) both(typ Type, s Suite, secret []byte) {
	l.Helper()
	for _, c := range []*Conn{l.client, l.server} {
		for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
			if err := c.Install(typ, d, s, secret); err != nil {
				l.Fatal(err)
			}
		}
	}
}

func (l *link) add(c *Conn, id string) {
	l.Helper()
	if err := l.table.Add(unhex(l, id), c); err != nil {
		l.Fatal(err)
	}
}

// outgoing is a packet to seal with ample room on both sides of its payload.
func outgoing(c *Conn, t Type, payload []byte) Packet {
	const room = 128
	buf := bytes.Repeat([]byte{0xee}, room+len(payload)+room)
	copy(buf[room:], payload)
	return Packet{
		Datagram: record.Datagram{Buf: buf, Off: room, Len: len(payload)},
		Header:   Header{Type: t}, Conn: c,
	}
}

// seal seals one packet and returns it as it goes on the wire.
func (l *link) seal(p Packet) []byte {
	l.Helper()
	burst := []Packet{p}
	if n := l.out.Seal(burst); n != 1 {
		l.Fatalf("sealed %d, drop %v", n, burst[0].Drop)
	}
	return bytes.Clone(burst[0].Content())
}

// open opens one datagram.
func (l *link) open(wire []byte) []Packet {
	packets, _ := l.in.Open([]record.Datagram{datagram(wire)})
	return packets
}

func datagram(wire []byte) record.Datagram {
	return record.Datagram{Buf: bytes.Clone(wire), Len: len(wire)}
}

// opens wants a datagram of one good packet.
func (l *link) opens(wire []byte, number uint64, payload []byte) {
	l.Helper()
	packets := l.open(wire)
	if len(packets) != 1 || packets[0].Drop != record.DropNone {
		l.Fatalf("%d packets, drop %v", len(packets), packets[0].Drop)
	}
	if p := &packets[0]; p.Number != number || !bytes.Equal(p.Content(), payload) {
		l.Fatalf("number %d, not %d; payload\n%x\nnot\n%x", p.Number, number, p.Content(), payload)
	}
}

// drops wants a datagram whose packets have these causes, in order.
func (l *link) drops(wire []byte, want ...record.Drop) {
	l.Helper()
	packets := l.open(wire)
	got := make([]record.Drop, len(packets))
	for i := range packets {
		got[i] = packets[i].Drop
	}
	if len(got) != len(want) {
		l.Fatalf("drops %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			l.Fatalf("drops %v, want %v", got, want)
		}
	}
}

// secretOf is a secret for tests, as long as the suite's hash.
func secretOf(s Suite, seed byte) []byte {
	n := 32
	if s == AES256GCM {
		n = 48
	}
	return bytes.Repeat([]byte{seed}, n)
}

// heard makes a connection go on as if a number of the application's space had come.
func heard(c *Conn, number uint64) {
	s := &c.spaces[spaceApplication]
	s.window.Accept(number)
	s.note(number)
}
