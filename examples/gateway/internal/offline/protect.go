package offline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/record"
)

// ErrNoPackets says that a capture holds nothing that a tunnel could carry.
var ErrNoPackets = errors.New("the capture holds no IP packet")

// Session is how the two gateways of Protect agree on keys. KeyLogWriter of the
// client's Config gets the secret.
type Session struct {
	Client, Server *dtls.Config
	Engine         *engine.Engine
}

// Protect reads a capture to its end and writes the tunnel's datagrams, handshake
// first and close_notify last. Every frame keeps its link header and its time. The
// capture that is written has the same link type. What was written before an error
// is whole.
func Protect(ctx context.Context, s Session, in *capture.Reader, out *capture.Writer) (Totals, error) {
	p := &protector{in: in, wire: newWire(in.Format().Link, out), sides: sides{}}
	p.totals.Link = in.Format().Link.String()
	frame, err := p.next()
	if errors.Is(err, io.EOF) {
		return p.totals, ErrNoPackets
	}
	if err != nil {
		return p.totals, err
	}
	if err := p.handshake(ctx, s, &frame); err != nil {
		return p.totals, err
	}
	err = errors.Join(p.run(frame), p.close(), p.wire.failure)
	return p.totals, err
}

type protector struct {
	in     *capture.Reader
	wire   *wire
	sides  sides
	ends   [2]*dtlsadapter.Conn
	totals Totals
}

// next is the next frame with a packet that the tunnel takes.
func (p *protector) next() (capture.Frame, error) {
	for {
		frame, err := p.in.Next()
		if err != nil {
			return frame, err
		}
		p.totals.Frames++
		switch {
		case !frame.IP:
			p.totals.Other++
		case frame.Cut:
			p.totals.drop(record.DropTruncated)
		case len(frame.Packet()) > dtlsadapter.MaxPlaintext:
			p.totals.drop(record.DropTooLong)
		default:
			return frame, nil
		}
	}
}

const (
	handshakeLead     = 10 * time.Millisecond // from its beginning to the first packet
	handshakePatience = 30 * time.Second
)

// handshake runs both ends over memory, with the wire listening.
func (p *protector) handshake(ctx context.Context, s Session, first *capture.Frame) error {
	p.wire.begin(first, p.sides.of(first.Packet()), first.Time.Add(-handshakeLead))
	ctx, cancel := context.WithTimeout(ctx, handshakePatience)
	defer cancel()
	client, server := memory.Conns(port.MaxBurst, 1<<16)
	failed := make(chan error, 1)
	go func() {
		var err error
		p.ends[serverSide], err = dtlsadapter.Server(ctx, &tap{server, p.wire, serverSide}, s.Server, s.Engine)
		failed <- err
	}()
	var err error
	p.ends[clientSide], err = dtlsadapter.Client(ctx, &tap{client, p.wire, clientSide}, s.Client, s.Engine)
	if err != nil {
		_ = server.Close()
	}
	if err := errors.Join(err, <-failed); err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	p.totals.Suite = dtlsadapter.SuiteName(p.ends[clientSide].Suite())
	p.wire.established()
	return nil
}

// run protects frames in bursts of one direction each.
func (p *protector) run(frame capture.Frame) error {
	for {
		enters := p.sides.of(frame.Packet())
		burst := []capture.Frame{frame}
		var err error
		for {
			frame, err = p.next()
			if err != nil || p.sides.of(frame.Packet()) != enters || len(burst) == port.MaxBurst {
				break
			}
			burst = append(burst, frame)
		}
		if err := p.send(enters, burst); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (p *protector) send(enters side, burst []capture.Frame) error {
	payloads := make([][]byte, len(burst))
	for i := range burst {
		payloads[i] = burst[i].Packet()
		p.totals.Packets++
		p.totals.Bytes += uint64(len(payloads[i]))
	}
	p.wire.expect(burst)
	_, err := p.ends[enters].WriteBurst(payloads)
	return err
}

func (p *protector) close() error {
	return errors.Join(p.ends[clientSide].Close(), p.ends[serverSide].Close())
}
