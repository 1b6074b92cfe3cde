// Package pcap is ports on capture files: one that receives the IP packets of a
// capture, and one that writes the packets sent to it.
package pcap

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// ErrDirection says that packets were sent to a port that reads a capture, or
// asked of one that writes one.
var ErrDirection = errors.New("pcap: the port goes the other way")

// Source receives the IP packets of a capture, one after the other, without
// regard to their times.
type Source struct {
	reader  *capture.Reader
	skipped uint64
	closed  atomic.Bool
	failure error
}

// NewSource makes a port that receives what the capture holds.
func NewSource(r *capture.Reader) *Source { return &Source{reader: r} }

// Skipped is how many frames held no whole IP packet. It may be asked once
// Receive has returned its error.
func (s *Source) Skipped() uint64 { return s.skipped }

// Receive fills the burst from the capture. A packet that its buffer cannot
// hold has Drop set. The error of a damaged capture comes after the packets
// before the damage.
func (s *Source) Receive(burst []record.Datagram) (n int, err error) {
	if s.closed.Load() {
		return 0, net.ErrClosed
	}
	for n < len(burst) && s.failure == nil {
		frame, err := s.reader.Next()
		switch {
		case err != nil:
			s.failure = err
		case !frame.IP || frame.Cut:
			s.skipped++
		default:
			port.Put(&burst[n], frame.Packet())
			n++
		}
	}
	if n == 0 && len(burst) > 0 {
		return 0, s.failure
	}
	return n, nil
}

// Send fails with ErrDirection.
func (s *Source) Send([]record.Datagram) (int, error) { return 0, ErrDirection }

// Close closes the capture.
func (s *Source) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.reader.Close()
}

// Sink writes the IP packets sent to it to a capture of link type capture.Raw.
type Sink struct {
	writer *capture.Writer
	now    func() time.Time
	done   chan struct{}
	closed atomic.Bool
}

// NewSink makes a port that writes to the capture, at the times that now tells.
func NewSink(w *capture.Writer, now func() time.Time) *Sink {
	return &Sink{writer: w, now: now, done: make(chan struct{})}
}

// Receive waits until the port is closed: a sink has nothing to say.
func (s *Sink) Receive([]record.Datagram) (int, error) {
	<-s.done
	return 0, io.EOF
}

// Send writes the burst, all of it under one time.
func (s *Sink) Send(burst []record.Datagram) (sent int, err error) {
	if s.closed.Load() {
		return 0, net.ErrClosed
	}
	at := s.now()
	for i := range burst {
		if burst[i].Drop != record.DropNone {
			continue
		}
		if err := s.writer.Write(at, burst[i].Content()); err != nil {
			return sent, err
		}
		sent++
	}
	return sent, nil
}

// Close flushes and closes the capture.
func (s *Sink) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	close(s.done)
	return s.writer.Close()
}
