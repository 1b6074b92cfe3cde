package vpn

import (
	"context"
	"fmt"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// linger is for what is under way in a session that was replaced.
const linger = 500 * time.Millisecond

// renewAfter is the default of RenewAfter. DTLS 1.2 has no key update, so a new
// handshake is what RFC 9325 section 4.4 asks for: after 2^24.5 records of GCM, 2^23 of CCM.
const renewAfter = 1 << 23

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
		err := one.inward(plain, port.MaxBurst, mtu, &c.Ledger.count.In)
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

// keepAlive asks again: the server's answer shows that it is there.
func keepAlive(conn *dtlsadapter.Conn) {
	var drops record.Tally
	_ = tunnel.Send(conn, [][]byte{{kindRequest}}, &drops, new(tunnel.Way))
}
