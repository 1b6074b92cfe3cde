package lan

import (
	"encoding/binary"
	"errors"
	"io"
	"net"

	"github.com/sealburst/sealburst/record"
)

const (
	// burstSize is the most packets that go into the engine together.
	burstSize = 64
	// longest is the most bytes of a packet on the cable.
	longest = 2048
	// lengthSize is what the length of a packet takes in front of it.
	lengthSize = 2
)

// errCable says that what came out of the cable is no row of packets.
var errCable = errors.New("lan: the cable delivers what is no packet")

// cable carries packets over a stream, each behind its length, so that nothing is lost
// and a full cable makes its sender wait, as an Ethernet with flow control does.
type cable struct {
	conn  net.Conn
	parts [burstSize][]byte

	buffer      []byte // what was read
	first, last int    // of it, what was not yet delivered
}

func newCable(c net.Conn) *cable {
	return &cable{conn: c, buffer: make([]byte, 2*burstSize*longest)}
}

// write sends the packets that have no cause to be dropped. Each has room for its
// length in front.
func (c *cable) write(burst []record.Datagram) error {
	parts := c.parts[:0]
	for i := range burst {
		d := &burst[i]
		if d.Drop != record.DropNone {
			continue
		}
		binary.BigEndian.PutUint16(d.Buf[d.Off-lengthSize:], uint16(d.Len))
		parts = append(parts, d.Buf[d.Off-lengthSize:d.Off+d.Len])
	}
	if len(parts) == 0 {
		return nil
	}
	buffers := net.Buffers(parts)
	_, err := buffers.WriteTo(c.conn)
	return err
}

// read waits for a packet and describes as many as are there. They may be changed until
// the next read.
func (c *cable) read(burst []record.Datagram) (n int, err error) {
	for {
		for n < len(burst) {
			packet, ok, err := c.cut()
			if err != nil {
				return n, err
			}
			if !ok {
				break
			}
			burst[n] = record.Datagram{Buf: packet, Len: len(packet)}
			n++
		}
		if n > 0 {
			return n, nil
		}
		if err := c.fill(); err != nil {
			return 0, err
		}
	}
}

// cut takes the next packet that has come in whole.
func (c *cable) cut() (packet []byte, ok bool, err error) {
	rest := c.buffer[c.first:c.last]
	if len(rest) < lengthSize {
		return nil, false, nil
	}
	size := int(binary.BigEndian.Uint16(rest))
	if size == 0 || size > longest {
		return nil, false, errCable
	}
	if len(rest) < lengthSize+size {
		return nil, false, nil
	}
	c.first += lengthSize + size
	return rest[lengthSize : lengthSize+size : lengthSize+size], true, nil
}

// fill reads behind what is left, which it moves to the front.
func (c *cable) fill() error {
	c.last = copy(c.buffer, c.buffer[c.first:c.last])
	c.first = 0
	n, err := c.conn.Read(c.buffer[c.last:])
	c.last += n
	if n > 0 {
		return nil
	}
	if err == nil {
		return io.ErrNoProgress
	}
	return err
}
