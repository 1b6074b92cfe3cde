package dtlsadapter

import (
	"errors"
	"net"
	"net/netip"

	"github.com/sealburst/sealburst/record"
)

// read hands what arrives to the connections, for as long as the socket is open.
func (l *Listener) read() {
	defer close(l.stopped)
	o := newOpener(l.plan.engine)
	burst := make([]record.Datagram, openSize)
	from := make([]netip.AddrPort, openSize)
	owners := make([]*Conn, openSize)
	for {
		n, err := l.socket.read(burst, from)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		l.counts.reads.Add(1)
		l.counts.datagrams.Add(uint64(n))
		l.assign(owners, burst[:n], from)
		for i, c := range owners[:n] {
			if c != nil {
				c.take(o, burst[i].Content())
			}
		}
		o.flush()
		clear(owners[:n])
	}
}

// assign finds the connection of each datagram, and makes one for a stranger's
// ClientHello.
func (l *Listener) assign(owners []*Conn, burst []record.Datagram, from []netip.AddrPort) {
	var unknown uint64
	l.mu.Lock()
	for i := range burst {
		if owners[i] = l.owner(from[i], burst[i].Content()); owners[i] == nil {
			unknown++
		}
	}
	l.mu.Unlock()
	if unknown > 0 {
		var tally record.Tally
		tally[record.DropUnknownSession] = unknown
		l.counts.drops.Add(&tally)
	}
}

// owner is the connection that a datagram belongs to, or nil; mu is held. A peer that
// lost its connection and starts anew from the same address has two for a while:
// the old one goes on until the new handshake has succeeded (RFC 6347 section 4.2.8).
func (l *Listener) owner(from netip.AddrPort, datagram []byte) *Conn {
	c, table := l.peers[from], l.peers
	if c != nil && c.established() {
		if !handshaking(datagram) {
			return c
		}
		again := l.returning[from]
		if again == nil && greets(datagram) || again != nil && again.wants(datagram) {
			c, table = again, l.returning
		}
	}
	if hello, ok := greeting(datagram); ok && (c == nil || c.supersededBy(hello)) {
		return l.admit(from, table, hello)
	}
	return c
}

// wants reports whether a peer's new handshake gets a datagram, or the connection that
// the peer has. As long as a stranger may have begun the handshake, it gets nothing of
// epoch 1: a Finished that comes again is the connection's.
func (c *Conn) wants(datagram []byte) bool {
	h := parseHeader(datagram)
	return h.epoch() == 0 || c.secrets.greeted()
}

// supersededBy reports whether a hello is of another handshake than the one that
// runs, whose own hello may be a forgery while its cookie has not come back.
func (c *Conn) supersededBy(hello random) bool {
	return !c.established() && c.greeting != hello && !c.secrets.greeted()
}

// handshaking reports whether a datagram starts with a record in the clear or a
// handshake message.
func handshaking(datagram []byte) bool {
	if len(datagram) < headerSize {
		return false
	}
	h := parseHeader(datagram)
	return h.epoch() == 0 || h.kind == typeHandshake
}

// greeting is the random of the ClientHello in the clear that a datagram starts with.
func greeting(datagram []byte) (random, bool) {
	rec, _, ok := cutRecord(datagram)
	if !ok {
		return random{}, false
	}
	h := parseHeader(rec)
	if h.kind != typeHandshake || h.epoch() != 0 {
		return random{}, false
	}
	hello, ok := parseHello(rec[headerSize:])
	return hello.random, ok && !hello.server
}

func greets(datagram []byte) bool {
	_, ok := greeting(datagram)
	return ok
}
