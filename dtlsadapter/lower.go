package dtlsadapter

import (
	"net"
	"os"
	"sync"
	"time"
)

const (
	lowerQueue   = 64   // datagrams that wait for pion
	pionDatagram = 8192 // pion reads no more of one
	lateFlights  = 256  // handshake records that pion gets after the handshake
)

// lower is the transport that pion sees. What it writes goes through the Conn, which
// seals it anew; what it reads is what the Conn sorted out for it. Reading never waits
// for the real transport, so that deadlines and Close work at once. A write that has
// begun lasts as long as the real transport's; whoever must not wait closes that.
type lower struct {
	conn   *Conn
	queue  chan []byte
	closed chan struct{}
	once   sync.Once
	read   deadline
	write  deadline
}

func newLower(c *Conn) *lower {
	return &lower{conn: c, queue: make(chan []byte, lowerQueue), closed: make(chan struct{})}
}

// give hands a datagram over, and reports false when pion is too slow.
func (l *lower) give(datagram []byte) bool {
	select {
	case l.queue <- datagram:
		return true
	default:
		return false
	}
}

// Read waits for a datagram.
func (l *lower) Read(b []byte) (int, error) {
	if l.read.expired() {
		return 0, os.ErrDeadlineExceeded
	}
	select {
	case d := <-l.queue:
		return copy(b, d), nil
	case <-l.closed:
		return 0, net.ErrClosed
	case <-l.read.wait():
		return 0, os.ErrDeadlineExceeded
	}
}

// Write sends one datagram of pion's.
func (l *lower) Write(b []byte) (int, error) {
	if l.write.expired() {
		return 0, os.ErrDeadlineExceeded
	}
	select {
	case <-l.closed:
		return 0, net.ErrClosed
	default:
	}
	if err := l.conn.relay(b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close wakes pion. The real transport is the Conn's to close.
func (l *lower) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *lower) LocalAddr() net.Addr  { return l.conn.link.LocalAddr() }
func (l *lower) RemoteAddr() net.Addr { return l.conn.link.RemoteAddr() }

func (l *lower) SetDeadline(t time.Time) error {
	l.read.set(t)
	l.write.set(t)
	return nil
}

func (l *lower) SetReadDeadline(t time.Time) error {
	l.read.set(t)
	return nil
}

func (l *lower) SetWriteDeadline(t time.Time) error {
	l.write.set(t)
	return nil
}
