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
	"sync"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
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

// Waiting times of a client after a session was lost.
const (
	firstRetry = 500 * time.Millisecond // doubles
	lastRetry  = 15 * time.Second
)

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
