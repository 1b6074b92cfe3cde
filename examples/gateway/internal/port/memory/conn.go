package memory

import (
	"net"
	"time"

	"github.com/sealburst/sealburst/record"
)

// Conn is one end of a pair as a net.Conn of datagrams that also moves batches.
type Conn struct{ port *Port }

// Conns makes two connections: what is written to one is read from the other.
// Each direction holds up to depth datagrams of up to size bytes.
func Conns(depth, size int) (*Conn, *Conn) {
	a, b := Pair(depth, size)
	return &Conn{a}, &Conn{b}
}

// ReadBatch waits for datagrams and describes those that are there. Their memory is
// the caller's until the next ReadBatch.
func (c *Conn) ReadBatch(burst []record.Datagram) (n int, err error) {
	r := c.port.in
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release()
	if err := r.waitForPacket(); err != nil {
		return 0, err
	}
	for n < len(burst) && n < r.count {
		at := (r.head + n) % len(r.slots)
		burst[n] = record.Datagram{Buf: r.slots[at], Len: r.lengths[at]}
		n++
	}
	r.lent = n
	return n, nil
}

// WriteBatch waits until there is room for every datagram.
func (c *Conn) WriteBatch(packets [][]byte) (sent int, err error) {
	r := c.port.out
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.moved.Broadcast()
	for _, packet := range packets {
		if err := r.waitForRoom(); err != nil {
			return sent, err
		}
		r.push(packet)
		sent++
	}
	return sent, nil
}

// Read waits for one datagram. A longer one than b is cut.
func (c *Conn) Read(b []byte) (int, error) {
	var one [1]record.Datagram
	if _, err := c.ReadBatch(one[:]); err != nil {
		return 0, err
	}
	return copy(b, one[0].Content()), nil
}

// Write sends one datagram.
func (c *Conn) Write(b []byte) (int, error) {
	packets := [1][]byte{b}
	if _, err := c.WriteBatch(packets[:]); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Close closes this end.
func (c *Conn) Close() error { return c.port.Close() }

// CloseRead closes the direction towards this end only. The other end can still read
// what this one writes.
func (c *Conn) CloseRead() error {
	c.port.in.close(true)
	return nil
}

// SetReadDeadline is that of net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.port.in.setDeadline(t)
	return nil
}

// SetWriteDeadline has no effect: a writer waits for its reader, however long.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline sets the deadline of reading.
func (c *Conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// LocalAddr is the address of a place in memory.
func (c *Conn) LocalAddr() net.Addr { return address{} }

// RemoteAddr is the address of a place in memory.
func (c *Conn) RemoteAddr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "memory" }
