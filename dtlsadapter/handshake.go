package dtlsadapter

import (
	"context"
	"io"

	"github.com/pion/dtls/v2"
)

// handshake runs pion's and establishes the connection. When it fails everything is closed.
func (c *Conn) handshake(ctx context.Context) error {
	p, err := c.runPion(ctx)
	if err != nil {
		_ = c.shut(nil)
		return err
	}
	c.establish(p)
	return nil
}

// runPion runs pion's handshake until it is over or ctx ends. pion waits for a write
// that has begun whatever its context says, and the transport may block it for ever;
// so the end of ctx closes the transport itself.
func (c *Conn) runPion(ctx context.Context) (*dtls.Conn, error) {
	run := dtls.ClientWithContext
	if c.server {
		run = dtls.ServerWithContext
	}
	stop := context.AfterFunc(ctx, func() { _ = c.link.Close() })
	p, err := run(ctx, c.lower, c.plan.config(&c.secrets))
	stop()
	switch {
	case ctx.Err() != nil: // even if pion got through: the transport is closed by now, or will be
		if p != nil {
			_ = c.link.Close()
			_ = p.Close()
		}
		return nil, failed(&dtls.HandshakeError{Err: ctx.Err()}, c.plan.engine.Err())
	case err != nil:
		return nil, failed(err, c.queue.reason(), c.plan.engine.Err())
	case !c.proven(): // stopped before pion's first record of epoch 1, which it believes sent
		_ = p.Close()
		return nil, failed(errNoKeys, c.queue.reason(), c.plan.engine.Err())
	}
	return p, nil
}

// proven reports whether there is a session.
func (c *Conn) proven() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session != nil
}

// establish lets records through, those first that came too early.
func (c *Conn) establish(p *dtls.Conn) {
	c.mu.Lock()
	c.pion = p
	waiting := c.stash.take()
	c.in.Store(c.session.in)
	c.mu.Unlock()

	o := newOpener(c.plan.engine)
	for _, rec := range waiting {
		c.take(o, rec)
	}
	o.flush()
	select {
	case <-c.lower.closed: // pion has seen an alert that came too early for us
		c.stop(ErrPeerClosed, io.EOF)
	default:
	}
}
