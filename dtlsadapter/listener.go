package dtlsadapter

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

const (
	// maxHandshakes run at a time. A connection that waits for Accept counts too.
	maxHandshakes = 256
	// maxEnding more may be winding up after they were given up.
	maxEnding = 256
	// firstReply is how long a stranger may take to return pion's cookie. Until then
	// its address may be forged.
	firstReply = 4 * time.Second
	// handshakeTime is what pion's Config has when it says nothing.
	handshakeTime = 30 * time.Second
	// listenBuffer is what the socket asks of the kernel for bursts.
	listenBuffer = 4 << 20
)

// Listener accepts DTLS 1.2 connections on one UDP socket. One goroutine reads the
// socket in bursts and opens what belongs to established connections, in one burst
// of the engine even when it comes from many peers. Handshakes run beside.
type Listener struct {
	plan    *plan
	conn    endpoint // below the carrier
	socket  carrier
	writers *sync.Pool
	reply   time.Duration // that a stranger has for returning pion's cookie

	ctx      context.Context // of the handshakes
	cancel   context.CancelFunc
	accepted chan *Conn
	running  sync.WaitGroup // handshakes
	stopped  chan struct{}  // the reading goroutine is over

	mu         sync.Mutex
	peers      map[netip.AddrPort]*Conn
	returning  map[netip.AddrPort]*Conn // handshakes of peers that have a connection still
	handshakes []*Conn                  // that run, the oldest first, without those that were given up
	serving    int                      // handshakes, with those
	closing    bool

	counts listenerCounts
	onFail atomic.Pointer[func(peer net.Addr, err error)] // nil: nobody wants to know
}

type listenerCounts struct {
	accepted, failed, shed atomic.Uint64
	reads, datagrams       atomic.Uint64
	drops                  record.Drops
}

// Listen opens a UDP socket and accepts connections on it. network is "udp", "udp4" or
// "udp6". What Client refuses of a Config and an engine is refused here. The time that a
// handshake may take comes from the Config's ConnectContextMaker, 30 seconds without.
func Listen(network string, laddr *net.UDPAddr, cfg *dtls.Config, e *engine.Engine) (*Listener, error) {
	p, err := newPlan(cfg, e)
	if err != nil {
		return nil, err
	}
	conn, err := net.ListenUDP(network, laddr)
	if err != nil {
		return nil, fmt.Errorf("dtlsadapter: %w", err)
	}
	_ = conn.SetReadBuffer(listenBuffer) // the kernel grants what it may
	_ = conn.SetWriteBuffer(listenBuffer)
	s, err := newSocket(conn, false)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return newListener(p, conn, s, firstReply), nil
}

func newListener(p *plan, conn endpoint, c carrier, reply time.Duration) *Listener {
	l := &Listener{
		plan: p, conn: conn, socket: c, writers: newWriters(), reply: reply,
		accepted: make(chan *Conn), stopped: make(chan struct{}),
		peers: map[netip.AddrPort]*Conn{}, returning: map[netip.AddrPort]*Conn{},
	}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	go l.read()
	return l
}

// Accept waits for a connection whose handshake is over; it is a *Conn.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.AcceptConn()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// AcceptConn is Accept with the connection's own type.
func (l *Listener) AcceptConn() (*Conn, error) {
	select {
	case c := <-l.accepted:
		l.counts.accepted.Add(1)
		return c, nil
	case <-l.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Addr is the socket's address.
func (l *Listener) Addr() net.Addr { return l.conn.LocalAddr() }

// NotifyFailed has f called for every handshake that fails from now on, with an
// ErrHandshake, but not for those that are shed. As long as a peer has not returned
// pion's cookie its address may be forged. f runs on the handshake's goroutine, on
// several at once; Close waits for it, so it must not call Close.
func (l *Listener) NotifyFailed(f func(peer net.Addr, err error)) { l.onFail.Store(&f) }

// Close ends accepting and the handshakes that run. Connections that were accepted
// live on; the last one to close closes the socket.
func (l *Listener) Close() error {
	l.mu.Lock()
	if l.closing {
		l.mu.Unlock()
		return net.ErrClosed
	}
	l.closing = true
	l.mu.Unlock()
	l.cancel()
	l.running.Wait()
	l.mu.Lock()
	idle := l.closeIdle()
	l.mu.Unlock()
	if idle {
		<-l.stopped
	}
	return nil
}

// closeIdle closes the socket of a closing listener that has no connections, and
// reports whether it did; mu is held.
func (l *Listener) closeIdle() bool {
	idle := l.closing && len(l.peers)+len(l.returning) == 0
	if idle {
		_ = l.conn.Close()
	}
	return idle
}

// ListenerStats are a listener's counters since Listen.
type ListenerStats struct {
	Peers     int          `json:"peers"`     // connections, and handshakes that run
	Accepted  uint64       `json:"accepted"`  // connections that Accept returned
	Failed    uint64       `json:"failed"`    // handshakes that failed
	Shed      uint64       `json:"shed"`      // handshakes refused or given up because too many ran
	Reads     uint64       `json:"reads"`     // times that the socket was read
	Datagrams uint64       `json:"datagrams"` // that came in
	Drops     record.Tally `json:"drops"`     // by cause, of datagrams that belong to no connection
}

// Stats are the listener's counters. Each connection has its own besides.
func (l *Listener) Stats() ListenerStats {
	l.mu.Lock()
	peers := len(l.peers) + len(l.returning)
	l.mu.Unlock()
	c := &l.counts
	return ListenerStats{
		Peers: peers, Accepted: c.accepted.Load(), Failed: c.failed.Load(), Shed: c.shed.Load(),
		Reads: c.reads.Load(), Datagrams: c.datagrams.Load(), Drops: c.drops.Snapshot(),
	}
}
