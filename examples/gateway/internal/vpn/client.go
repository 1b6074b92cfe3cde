package vpn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// Client is a gateway that keeps one tunnel to a server up. Run runs it once.
type Client struct {
	Server string // that Dial connects to, for logs
	// Dial makes a connection whose handshake is over.
	Dial func(ctx context.Context) (*dtlsadapter.Conn, error)
	// Open opens the plain side once the server has assigned an address, and
	// again when it has assigned another.
	Open   func(Assignment) (port.Port, error)
	Log    *slog.Logger
	Ledger *Ledger
	// RenewAfter is after how many records, either way, a session is replaced by a
	// new one, looked at every Keepalive. Zero means the defaults.
	RenewAfter uint64
	Keepalive  time.Duration

	linger   time.Duration           // for what is under way in a session that was replaced; 0 means the default
	attempts int                     // handshakes begun
	current  atomic.Pointer[session] // nil while there is none
	assigned Assignment
	plain    port.Port
	running  sync.WaitGroup // loops between the plain side and sessions
	sending  sync.Mutex     // the plain side takes one burst at a time
	failed   chan error     // of the plain side
}

// Waiting times of a client.
const (
	askEvery   = 250 * time.Millisecond // until the server answers the first request
	askTimes   = 20
	firstRetry = 500 * time.Millisecond // after a session was lost; doubles
	lastRetry  = 15 * time.Second
	linger     = 500 * time.Millisecond // for what is under way in a session that was replaced
)

// renewAfter is the default of RenewAfter. DTLS 1.2 has no key update, so a new
// handshake is what RFC 9325 section 4.4 asks for: after 2^24.5 records of GCM, 2^23 of CCM.
const renewAfter = 1 << 23

// ErrNoAssignment says that a server did not tell the client's address.
var ErrNoAssignment = errors.New("vpn: the server assigned no address")

// errPlain marks errors of the plain side, which no new session mends.
var errPlain = errors.New("plain side")

// Run connects and carries packets until ctx is over. A first connection that fails
// is an error; one that is lost later is made again.
func (c *Client) Run(ctx context.Context) error {
	c.failed = make(chan error, 1)
	c.RenewAfter, c.Keepalive = cmp.Or(c.RenewAfter, renewAfter), cmp.Or(c.Keepalive, keepalive)
	c.linger = cmp.Or(c.linger, linger)
	defer c.closePlain()
	wait := firstRetry
	for first := true; ; first = false {
		begin := time.Now()
		err := c.connect(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, errPlain), first && c.plain == nil:
			return err
		}
		c.report(err, wait)
		if time.Since(begin) > silence {
			wait = firstRetry
		}
		if !pause(ctx, wait) {
			return nil
		}
		wait = min(2*wait, lastRetry)
	}
}

// report logs why there is no session, and when the next one is tried.
func (c *Client) report(err error, wait time.Duration) {
	var unmet dialError
	if errors.As(err, &unmet) { // logged already
		c.Log.Debug("retrying", "server", c.Server, "in", wait.String())
		return
	}
	c.Log.Warn("session lost", "reason", ending(err), "retry", wait.String())
}

// pause waits, and reports whether it waited to the end.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// connect makes a session and carries packets in it and in those that replace it,
// until one is lost.
func (c *Client) connect(ctx context.Context) error {
	one, assigned, err := c.establish(ctx)
	if err != nil {
		return err
	}
	if err := c.open(assigned); err != nil {
		_ = one.conn.Close()
		return err
	}
	for one != nil {
		one, err = c.carry(ctx, one)
	}
	return err
}

// establish makes a session and asks for the client's address.
func (c *Client) establish(ctx context.Context) (*session, Assignment, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, Assignment{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	assigned, err := ask(conn)
	if err != nil {
		_ = conn.Close()
		return nil, Assignment{}, err
	}
	c.Log.Info("session opened", "server", conn.RemoteAddr().String(), "suite", dtlsadapter.SuiteName(conn.Suite()),
		"address", assigned.Address.String(), "mtu", assigned.MTU)
	return &session{conn: conn, control: func([]byte) {}}, assigned, nil
}

// dialError is why a handshake came to nothing; it has been logged and counted.
type dialError struct{ error }

// Unwrap is what Dial failed with.
func (e dialError) Unwrap() error { return e.error }

// dial begins a handshake and waits for its end.
func (c *Client) dial(ctx context.Context) (*dtlsadapter.Conn, error) {
	level := slog.LevelInfo
	if c.attempts++; c.attempts > 1 {
		level = slog.LevelDebug
	}
	c.Log.Log(ctx, level, "connecting", "server", c.Server, "attempt", c.attempts)
	conn, err := c.Dial(ctx)
	if err != nil {
		c.Ledger.miss()
		c.Log.Warn("handshake failed", "server", c.Server, "reason", failure(err))
		return nil, dialError{err}
	}
	return conn, nil
}

// carry moves packets in a session until it is lost or replaced by the next one, which
// it returns.
func (c *Client) carry(ctx context.Context, one *session) (next *session, err error) {
	ended := c.begin(one)
	defer c.current.CompareAndSwap(one, nil)
	stop := context.AfterFunc(ctx, func() { _ = one.conn.Close() })
	defer stop()
	ticker := time.NewTicker(c.Keepalive)
	defer ticker.Stop()
	var renewed chan *session // nil while none is being made
	for {
		select {
		case err := <-ended:
			if renewed != nil {
				return <-renewed, err
			}
			return nil, err
		case err := <-c.failed:
			_ = one.conn.Close()
			if renewed != nil {
				abandon(<-renewed)
			}
			return nil, err
		case <-ticker.C:
			keepAlive(one.conn)
			if renewed == nil && one.worn(c.RenewAfter) {
				renewed = c.renew(ctx)
			}
		case next := <-renewed:
			if next != nil {
				c.current.Store(next)
				c.replace(ctx, one)
				return next, nil
			}
			renewed = nil // it is tried again at the next tick
		}
	}
}

// begin lets packets flow through a session, and returns where its end shows.
func (c *Client) begin(one *session) (ended chan error) {
	c.current.Store(one)
	c.Ledger.open(one)
	ended = make(chan error, 1)
	plain, mtu := &exclusive{c.plain, &c.sending}, c.assigned.MTU
	c.running.Go(func() {
		err := one.inward(plain, mtu, &c.Ledger.count.In)
		_ = one.conn.Close()
		c.Ledger.close(one)
		ended <- err
	})
	return ended
}

// renew makes the session that is to replace the one in use. What comes is nil if
// there is none under the same assignment.
func (c *Client) renew(ctx context.Context) chan *session {
	made := make(chan *session, 1)
	go func() {
		next, assigned, err := c.establish(ctx)
		if err == nil && assigned != c.assigned {
			_ = next.conn.Close()
			next, err = nil, fmt.Errorf("the server assigns %v now", assigned.Address)
		}
		if err != nil {
			c.Log.Warn("session not renewed", "reason", err)
		}
		made <- next
	}()
	return made
}

func abandon(one *session) {
	if one != nil {
		_ = one.conn.Close()
	}
}

// replace ends a session that has a successor, once what is under way has come.
func (c *Client) replace(ctx context.Context, one *session) {
	c.running.Go(func() {
		pause(ctx, c.linger)
		_ = one.conn.Close()
	})
}

// ask requests the client's address until the server tells it.
func ask(conn *dtlsadapter.Conn) (Assignment, error) {
	defer conn.SetReadDeadline(time.Time{})
	for range askTimes {
		if _, err := conn.Write([]byte{kindRequest}); err != nil && !tunnel.Refused(err) {
			return Assignment{}, err
		}
		if err := conn.SetReadDeadline(time.Now().Add(askEvery)); err != nil {
			return Assignment{}, err
		}
		a, err := readAssignment(conn)
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return a, err
		}
	}
	return Assignment{}, ErrNoAssignment
}

// readAssignment passes over everything else.
func readAssignment(conn *dtlsadapter.Conn) (Assignment, error) {
	message := make([]byte, dtlsadapter.MaxPlaintext)
	for {
		n, err := conn.Read(message)
		if err != nil {
			return Assignment{}, err
		}
		if a, err := parseAnswer(message[:n]); !errors.Is(err, ErrControl) {
			return a, err
		}
	}
}

// open opens the plain side, unless it is open under the same assignment.
func (c *Client) open(a Assignment) error {
	if c.plain != nil && c.assigned == a {
		return nil
	}
	c.closePlain()
	plain, err := c.Open(a)
	if err != nil {
		return fmt.Errorf("%w: %w", errPlain, err)
	}
	c.plain, c.assigned = plain, a
	route := func(netip.Addr) *session { return c.current.Load() }
	c.running.Go(func() {
		err := newOutward(plain, a.MTU, route, &c.Ledger.count.Out).run()
		switch {
		case errors.Is(err, io.EOF): // of a capture, say: what comes in goes on
			c.Log.Info("plain side has no more packets")
		case !errors.Is(err, net.ErrClosed):
			c.failed <- fmt.Errorf("%w: %w", errPlain, err)
		}
	})
	return nil
}

func (c *Client) closePlain() {
	if c.plain == nil {
		return
	}
	_ = c.plain.Close()
	c.running.Wait()
	c.plain = nil
}

// keepAlive asks again: the server's answer shows that it is there.
func keepAlive(conn *dtlsadapter.Conn) {
	var drops record.Tally
	_ = tunnel.Send(conn, [][]byte{{kindRequest}}, &drops, new(tunnel.Way))
}
