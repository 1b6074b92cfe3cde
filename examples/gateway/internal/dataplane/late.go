package dataplane

import (
	"net"
	"sync"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// Late is a port on which others than the workers hand packets to the plain side: those
// that came before a session opened, say. It receives nothing.
type Late struct {
	packets chan []byte
	closed  chan struct{}
	once    sync.Once
}

var _ port.Port = (*Late)(nil)

const lateQueue = 1024

// NewLate makes one, for the Config of a gateway.
func NewLate() *Late {
	return &Late{packets: make(chan []byte, lateQueue), closed: make(chan struct{})}
}

// Receive waits until the port is closed.
func (l *Late) Receive([]record.Datagram) (int, error) {
	<-l.closed
	return 0, net.ErrClosed
}

// Send leaves copies for the workers. What they are too slow for is dropped.
func (l *Late) Send(burst []record.Datagram) (sent int, err error) {
	select {
	case <-l.closed:
		return 0, net.ErrClosed
	default:
	}
	for i := range burst {
		d := &burst[i]
		if d.Drop != record.DropNone {
			continue
		}
		select {
		case l.packets <- append([]byte(nil), d.Content()...):
			sent++
		default:
			d.Drop = record.DropQueueFull
		}
	}
	return sent, nil
}

// Close closes the port.
func (l *Late) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// fetch puts the packets that wait into a burst. They are IP packets with whole headers.
func (l *Late) fetch(b *ethernet.Burst, q ethernet.Queue) {
	n := min(len(l.packets), ethernet.MaxBurst)
	if b.N = 0; n == 0 || !q.Allocate(b, n) {
		return
	}
	for i := range n {
		d := &b.Frames[i]
		select {
		case packet := <-l.packets:
			if d.Len = copy(d.Buf[d.Off:], packet); d.Len < len(packet) {
				d.Drop = record.DropTooLong
			}
		default:
			d.Drop = record.DropDummy // another worker was faster
		}
	}
}
