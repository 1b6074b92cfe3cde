// Package memory is two ends joined back to back in one process, as ports and as
// connections. It loses nothing and reorders nothing: a sender waits for room.
package memory

import (
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// Port is one end of a pair.
type Port struct {
	in, out *ring
}

// Pair makes two ports: what one sends the other receives. Each direction holds
// up to depth packets of up to size bytes.
func Pair(depth, size int) (*Port, *Port) {
	ab, ba := newRing(depth, size), newRing(depth, size)
	return &Port{in: ba, out: ab}, &Port{in: ab, out: ba}
}

// Receive takes what is there, and waits while there is nothing. It ends with
// io.EOF once the other end is closed and everything was taken.
func (p *Port) Receive(burst []record.Datagram) (n int, err error) {
	r := p.in
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.waitForPacket(); err != nil {
		return 0, err
	}
	for n < len(burst) && r.count > 0 {
		port.Put(&burst[n], r.pop())
		n++
	}
	r.moved.Broadcast()
	return n, nil
}

// Send waits until there is room for every packet. It fails with net.ErrClosed
// once either end is closed.
func (p *Port) Send(burst []record.Datagram) (sent int, err error) {
	r := p.out
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.moved.Broadcast()
	for i := range burst {
		d := &burst[i]
		switch {
		case d.Drop != record.DropNone:
			continue
		case d.Len > r.size:
			d.Drop = record.DropTooLong
			continue
		}
		if err := r.waitForRoom(); err != nil {
			return sent, err
		}
		r.push(d.Content())
		sent++
	}
	return sent, nil
}

// Close closes this end; what it sent before can still be received.
func (p *Port) Close() error {
	p.out.close(false)
	p.in.close(true)
	return nil
}
