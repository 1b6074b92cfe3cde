package dtlsadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// Conn is a DTLS 1.2 connection whose handshake is over. It is a net.Conn that keeps
// records apart: a Write is one record, a Read gives one record's payload. All
// methods are safe for concurrent use.
type Conn struct {
	link    link
	plan    *plan
	server  bool
	secrets secrets
	lower   *lower
	queue   *queue
	writers *sync.Pool // of *writing

	detach   func() // takes the connection off its listener
	abandon  func() // ends a listener's handshake
	greeting random // that a listener's handshake began with
	shed     bool   // a listener's handshake, to make room; the listener's mu is its lock

	mu       sync.Mutex // of the handshake: held to stash and to establish
	session  *session   // once pion's first record of epoch 1 has proven the keys
	stash    stash
	pion     *dtls.Conn
	shutting bool // nothing more is spawned

	in    atomic.Pointer[Inbound] // once established
	early record.Drops            // of what came before
	first int                     // bytes that pion got before its hello; mu is their lock
	late  atomic.Int32            // handshake records that pion got since

	sendMu     sync.Mutex            // numbers leave in order
	goodbye    []byte                // the record with close_notify, once it is made
	notified   bool                  // it was sent
	sendEnd    atomic.Pointer[error] // why nothing more is sent
	writeLimit deadline

	closing    atomic.Bool
	background sync.WaitGroup
}

// link is what a connection sends through and closes: a BatchConn, or a listener's peer.
type link interface {
	io.WriteCloser
	WriteBatch(datagrams [][]byte) (n int, err error)
	LocalAddr() net.Addr
	RemoteAddr() net.Addr
	SetWriteDeadline(t time.Time) error
}

// session is what the handshake gave.
type session struct {
	*agreement
	out *Outbound
	in  *Inbound
	own *ownOpener
}

// Client makes a connection over conn, a transport that keeps datagrams apart, and
// runs the handshake as pion/dtls does with that Config. From the call on conn belongs
// to the connection, which reads it, writes it and closes it: whatever Client fails
// with, conn is closed. The Config and the engine may be shared; neither may be changed.
//
// Before anything is sent, a Config that cannot be carried is refused with an ErrSuite or
// ErrConfig, an engine that is closed with engine.ErrClosed, and with an ErrConfig a
// stream such as TCP, and whatever is missing. What the handshake fails with is an
// ErrHandshake, and engine.ErrClosed besides when the engine was closed meanwhile.
//
// The certificate must be for cfg.ServerName, a name or an IP address. Without one Client
// fails with an ErrConfig, unless cfg has InsecureSkipVerify or VerifyPeerCertificate, or
// keys that were shared before instead of certificates.
//
// When ctx ends before the handshake is over, conn is closed at once, so that not even
// a Write that blocks is waited for, and the error is ctx's besides an ErrHandshake.
// Afterwards ctx no longer matters.
//
// Close the connection before the engine; see Conn.Close.
func Client(ctx context.Context, conn net.Conn, cfg *dtls.Config, e *engine.Engine) (*Conn, error) {
	return start(ctx, conn, cfg, e, false)
}

// Server is the other side of Client, for one peer. Listen serves many.
func Server(ctx context.Context, conn net.Conn, cfg *dtls.Config, e *engine.Engine) (*Conn, error) {
	return start(ctx, conn, cfg, e, true)
}

func start(ctx context.Context, conn net.Conn, cfg *dtls.Config, e *engine.Engine, server bool) (*Conn, error) {
	if missing(conn) {
		return nil, &FieldError{"conn", "missing"}
	}
	c, batched, err := prepare(ctx, conn, cfg, e, server)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	c.background.Add(1)
	go c.pump(batched)
	if err := c.handshake(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// prepare refuses what cannot be carried, and touches conn no further.
func prepare(ctx context.Context, conn net.Conn, cfg *dtls.Config, e *engine.Engine, server bool) (*Conn, BatchConn, error) {
	if ctx == nil {
		return nil, nil, &FieldError{"ctx", "missing"}
	}
	p, err := newPlan(cfg, e)
	if err != nil {
		return nil, nil, err
	}
	if !server {
		if err := needName(cfg); err != nil {
			return nil, nil, err
		}
	}
	batched, err := Batch(conn)
	if err != nil {
		return nil, nil, err
	}
	return newConn(p, batched, server, newWriters()), batched, nil
}

func newConn(p *plan, l link, server bool, writers *sync.Pool) *Conn {
	c := &Conn{link: l, plan: p, server: server, queue: newQueue(), writers: writers, detach: func() {}}
	c.secrets.server = server
	c.lower = newLower(c)
	return c
}

// pump reads the transport for as long as the connection lives.
func (c *Conn) pump(transport BatchConn) {
	defer c.background.Done()
	o := newOpener(c.plan.engine)
	burst := make([]record.Datagram, openSize)
	for failures := 0; failures < maxReadFailures; {
		n, err := transport.ReadBatch(burst)
		for i := range burst[:n] {
			c.take(o, burst[i].Content())
		}
		o.flush()
		switch {
		case n > 0:
			failures = 0
		case gone(err):
			failures = maxReadFailures
		case !reported(err):
			failures++
		}
		if failures == maxReadFailures {
			c.stop(err, fmt.Errorf("dtlsadapter: transport: %w", err))
			_ = c.lower.Close()
		}
	}
}

// maxReadFailures is how many times in a row reading may fail, not counting what
// ICMP messages report.
const maxReadFailures = 64

// gone reports whether a transport will not come back.
func gone(err error) bool {
	return errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe)
}
