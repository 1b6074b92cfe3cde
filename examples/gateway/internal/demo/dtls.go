package demo

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// overDTLS joins the gateways by a DTLS session with throwaway certificates.
type overDTLS struct{ suites []dtls.CipherSuiteID }

// handshakeRoom is room in the link for the flights of a handshake.
const handshakeRoom = 2048

func (o *overDTLS) join(ctx context.Context, e *engine.Engine, longest int, r *Report) (*pair, contest, error) {
	client, server, err := credentials.Throwaway(o.suites)
	if err != nil {
		return nil, nil, err
	}
	begin := time.Now()
	d, err := shakeHands(ctx, e, client, server, longest)
	if err != nil {
		return nil, nil, err
	}
	r.Handshake = float64(time.Since(begin)) / float64(time.Millisecond)
	suite := d.client.Suite()
	r.Suite = dtlsadapter.SuiteName(suite)
	p := newPair(longest)
	p.stop, p.tell = d.close, d.tell
	for i, end := range []struct {
		name  string
		conn  *dtlsadapter.Conn
		count *tunnel.Counters
	}{{"client", d.client, &d.atClient}, {"server", d.server, &d.atServer}} {
		p.run(end.name, func() error { return tunnel.Seal(p.inner[i], end.conn, longest, &end.count.Out) })
		p.run(end.name, func() error { return tunnel.Open(end.conn, p.inner[i], longest, &end.count.In) })
	}
	return p, func() (*contenders, error) { return dtlsContenders(e, suite) }, nil
}

// dtlsEnds are the two ends of a session.
type dtlsEnds struct {
	client, server     *dtlsadapter.Conn
	atClient, atServer tunnel.Counters
}

// shakeHands runs the handshake over memory.
func shakeHands(ctx context.Context, e *engine.Engine, client, server *dtls.Config, longest int) (*dtlsEnds, error) {
	d := &dtlsEnds{}
	left, right := memory.Conns(ringDepth, longest+port.Headroom+port.Tailroom+handshakeRoom)
	served := make(chan error, 1)
	go func() {
		var err error
		d.server, err = dtlsadapter.Server(ctx, right, server, e)
		served <- err
	}()
	var err error
	if d.client, err = dtlsadapter.Client(ctx, left, client, e); err != nil {
		right.Close()
	}
	return d, errors.Join(err, <-served)
}

func (d *dtlsEnds) close() {
	_ = d.client.Close()
	_ = d.server.Close()
}

// tell writes down bursts and drops.
func (d *dtlsEnds) tell(r *Report) {
	var drops record.Tally
	var sent, received dtlsadapter.Flow
	for _, conn := range []*dtlsadapter.Conn{d.client, d.server} {
		s := conn.Stats()
		addFlow(&sent, &s.Sent, &drops)
		addFlow(&received, &s.Received, &drops)
	}
	r.Sealed, r.Opened = sent.MeanBurst(), received.MeanBurst()
	r.addDrops(drops.ByName(), &d.atClient, &d.atServer)
}

func addFlow(sum, f *dtlsadapter.Flow, drops *record.Tally) {
	sum.Bursts += f.Bursts
	sum.Records += f.Records
	sum.Bytes += f.Bytes
	for cause, n := range f.Drops {
		drops[cause] += n
	}
}

// batched is the engine's.
type batched struct {
	*dtlsadapter.Outbound
	in *dtlsadapter.Inbound
}

func (b *batched) Unprotect(burst []record.Datagram) int { return b.in.Unprotect(burst) }

func (b *batched) close() {
	b.Close()
	b.in.Close()
}

// newBatched makes both halves of a session under random keys.
func newBatched(e *engine.Engine, suite dtls.CipherSuiteID) (*batched, *dtlsadapter.Keys, error) {
	var secret [48 + 2*32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return nil, nil, err
	}
	keys, _, err := dtlsadapter.DeriveKeys(suite, secret[:48], secret[48:80], secret[80:])
	if err != nil {
		return nil, nil, err
	}
	out, err := dtlsadapter.NewOutbound(e, keys)
	if err != nil {
		return nil, nil, err
	}
	in, err := dtlsadapter.NewInbound(e, keys, 0)
	if err != nil {
		out.Close()
		return nil, nil, err
	}
	return &batched{out, in}, &keys, nil
}

func dtlsContenders(e *engine.Engine, suite dtls.CipherSuiteID) (*contenders, error) {
	ours, keys, err := newBatched(e, suite)
	if err != nil {
		return nil, err
	}
	c := &contenders{ours: ours, close: func() {
		ours.close()
		keys.Erase()
	}}
	if std := newOneByOne(keys); std != nil {
		c.std = std
	}
	return c, nil
}
