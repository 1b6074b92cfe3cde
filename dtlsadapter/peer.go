package dtlsadapter

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

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

// admit starts a handshake, or sheds it when there is no room; mu is held.
func (l *Listener) admit(from netip.AddrPort, table map[netip.AddrPort]*Conn, hello random) *Conn {
	if l.closing {
		return nil
	}
	if old := table[from]; old != nil {
		l.giveUp(old)
	}
	if !l.makeRoom() {
		l.counts.shed.Add(1)
		return nil
	}
	c := newConn(l.plan, &peer{listener: l, address: from}, true, l.writers)
	c.detach = func() { l.forget(from, c) }
	c.greeting = hello
	var ctx context.Context
	ctx, c.abandon = context.WithCancel(l.ctx)
	table[from] = c
	l.handshakes = append(l.handshakes, c)
	l.serving++
	l.running.Add(1)
	go l.serve(ctx, c, from)
	return c
}

// makeRoom reports whether another handshake may begin. When as many run as may, the
// oldest whose address may be forged is given up for it: strangers that do not answer
// keep nobody out. mu is held.
func (l *Listener) makeRoom() bool {
	if l.serving == maxHandshakes+maxEnding {
		return false
	}
	if len(l.handshakes) < maxHandshakes {
		return true
	}
	i := slices.IndexFunc(l.handshakes, func(c *Conn) bool { return !c.secrets.greeted() })
	if i < 0 {
		return false
	}
	l.handshakes[i].shed = true
	l.giveUp(l.handshakes[i])
	l.counts.shed.Add(1)
	return true
}

// giveUp ends a handshake, which no longer counts; mu is held.
func (l *Listener) giveUp(c *Conn) {
	c.abandon()
	l.leave(c)
}

// leave takes a handshake off those that count; mu is held.
func (l *Listener) leave(c *Conn) {
	if i := slices.Index(l.handshakes, c); i >= 0 {
		l.handshakes = slices.Delete(l.handshakes, i, i+1)
	}
}

// served ends a handshake's goroutine.
func (l *Listener) served(c *Conn) {
	l.mu.Lock()
	l.leave(c)
	l.serving--
	l.mu.Unlock()
	c.abandon()
	l.running.Done()
}

// serve runs a handshake, which alive can end, and hands the connection to Accept.
func (l *Listener) serve(alive context.Context, c *Conn, from netip.AddrPort) {
	defer l.served(c)
	ctx, cancel := l.handshakeContext()
	defer cancel()
	defer context.AfterFunc(alive, cancel)()
	forged := time.AfterFunc(l.reply, func() {
		if !c.secrets.greeted() {
			cancel()
		}
	})
	defer forged.Stop()
	if err := c.handshake(ctx); err != nil {
		l.fail(c, err)
		return
	}
	l.settle(from, c)
	select {
	case l.accepted <- c:
	case <-l.ctx.Done():
		_ = c.Close()
	}
}

// fail counts a handshake that failed, and tells whoever wants to know. Of those that
// were shed, which are counted already, nobody is told: a flood of them is no news.
func (l *Listener) fail(c *Conn, err error) {
	l.mu.Lock()
	shed := c.shed
	l.mu.Unlock()
	if shed {
		return
	}
	l.counts.failed.Add(1)
	if f := l.onFail.Load(); f != nil {
		(*f)(c.RemoteAddr(), err)
	}
}

func (l *Listener) handshakeContext() (context.Context, func()) {
	if maker := l.plan.user.ConnectContextMaker; maker != nil {
		return maker()
	}
	return context.WithTimeout(context.Background(), handshakeTime)
}

// settle puts a connection in the place of an older one from the same address, whose
// handshake may still run when the one before it was closed meanwhile.
func (l *Listener) settle(from netip.AddrPort, c *Conn) {
	l.mu.Lock()
	old := l.peers[from]
	if l.returning[from] == c {
		delete(l.returning, from)
		l.peers[from] = c
	}
	l.mu.Unlock()
	if old != nil && old != c {
		old.abandon()
		old.stop(ErrReplaced, ErrReplaced)
	}
}

// forget takes a connection off the listener.
func (l *Listener) forget(from netip.AddrPort, c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, table := range [...]map[netip.AddrPort]*Conn{l.peers, l.returning} {
		if table[from] == c {
			delete(table, from)
		}
	}
	l.closeIdle()
}

// peer is a listener's socket as one connection sends through it. Writes do not
// wait for long, so deadlines need no more than the Conn's own look at them.
type peer struct {
	listener *Listener
	address  netip.AddrPort
	closed   atomic.Bool
}

func (p *peer) Write(b []byte) (int, error) {
	if _, err := p.WriteBatch([][]byte{b}); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (p *peer) WriteBatch(datagrams [][]byte) (int, error) {
	if p.closed.Load() {
		return 0, net.ErrClosed
	}
	return p.listener.socket.write(datagrams, destinations{all: p.address})
}

func (p *peer) Close() error {
	p.closed.Store(true)
	return nil
}

func (p *peer) LocalAddr() net.Addr              { return p.listener.conn.LocalAddr() }
func (p *peer) RemoteAddr() net.Addr             { return net.UDPAddrFromAddrPort(p.address) }
func (p *peer) SetWriteDeadline(time.Time) error { return nil }
