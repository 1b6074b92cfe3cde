package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
)

const (
	ringDepth  = 1024
	maxPacket  = dtlsadapter.MaxPlaintext
	plainDepth = 256
)

// pair is two gateways back to back. Packets go in at a and come out at b, or the
// other way.
type pair struct {
	a, b           *memory.Port // the outer ends of the plain sides
	client, server *dtlsadapter.Conn
	atClient       tunnel.Counters
	atServer       tunnel.Counters
	inner          [2]*memory.Port
	running        sync.WaitGroup
	mu             sync.Mutex
	failure        error
}

// newPair joins two gateways over memory: it runs the handshake and starts both.
func newPair(ctx context.Context, e *engine.Engine, client, server *dtls.Config, longest int) (*pair, error) {
	p := &pair{}
	left, right := memory.Conns(ringDepth, longest+port.Headroom+port.Tailroom+handshakeRoom)
	served := make(chan error, 1)
	go func() {
		var err error
		p.server, err = dtlsadapter.Server(ctx, right, server, e)
		served <- err
	}()
	var err error
	if p.client, err = dtlsadapter.Client(ctx, left, client, e); err != nil {
		right.Close()
	}
	if err = errors.Join(err, <-served); err != nil {
		return nil, err
	}
	p.a, p.inner[0] = memory.Pair(plainDepth, longest)
	p.b, p.inner[1] = memory.Pair(plainDepth, longest)
	p.run("client", p.inner[0], p.client, &p.atClient, longest)
	p.run("server", p.inner[1], p.server, &p.atServer, longest)
	return p, nil
}

// handshakeRoom is room in the link for the flights of a handshake.
const handshakeRoom = 2048

func (p *pair) run(name string, plain port.Port, conn *dtlsadapter.Conn, count *tunnel.Counters, longest int) {
	p.running.Go(func() { p.note(name, tunnel.Seal(plain, conn, longest, &count.Out)) })
	p.running.Go(func() { p.note(name, tunnel.Open(conn, plain, longest, &count.In)) })
}

// note keeps the first error that is not the end of the demonstration.
func (p *pair) note(name string, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, dtlsadapter.ErrPeerClosed) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure == nil {
		p.failure = fmt.Errorf("gateway of the %s: %w", name, err)
	}
}

// close stops both gateways and says what went wrong in them.
func (p *pair) close() error {
	_ = p.client.Close()
	_ = p.server.Close()
	for _, plain := range []*memory.Port{p.inner[0], p.inner[1], p.a, p.b} {
		_ = plain.Close()
	}
	p.running.Wait()
	return p.failure
}
