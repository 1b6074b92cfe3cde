// Package tunnel joins a plain port to a DTLS connection: what the port receives is
// sealed and sent, what the connection opens is sent out of the port. Each direction
// is one loop that carries a burst all the way before it takes the next.
package tunnel

import (
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// Seal moves packets from the port into the connection until either fails, and
// returns its error. Size is the longest packet expected.
func Seal(from port.Port, to *dtlsadapter.Conn, size int, count *Way) error {
	burst := port.NewBurst(port.MaxBurst, size)
	payloads := make([][]byte, 0, port.MaxBurst)
	for {
		n, err := from.Receive(burst)
		if err != nil {
			return err
		}
		var drops record.Tally
		payloads = payloads[:0]
		for i := range burst[:n] {
			if drops[burst[i].Drop]++; burst[i].Drop == record.DropNone {
				payloads = append(payloads, burst[i].Content())
			}
		}
		if err := Send(to, payloads, &drops, count); err != nil {
			return err
		}
	}
}

// Send seals and sends a burst, and counts it together with drops. A datagram that
// the system refuses, because it is too long for the path for instance, is lost
// as on the wire; the errors left are the connection's end.
func Send(to *dtlsadapter.Conn, payloads [][]byte, drops *record.Tally, count *Way) error {
	packets, bytes := 0, uint64(0)
	for len(payloads) > 0 {
		sent, err := to.WriteBurst(payloads)
		packets += sent
		bytes += total(payloads[:sent])
		payloads = payloads[sent:]
		if err != nil && !Refused(err) {
			drops[record.DropClosed] += uint64(len(payloads))
			count.Add(packets, bytes, drops)
			return err
		}
		if err != nil && len(payloads) > 0 {
			drops[record.DropFailed]++
			payloads = payloads[1:]
		}
	}
	count.Add(packets, bytes, drops)
	return nil
}

// Refused reports whether an error says something of one datagram, not of the
// connection.
func Refused(err error) bool {
	var errno syscall.Errno
	return errors.Is(err, dtlsadapter.ErrTooLong) || errors.As(err, &errno) && !errors.Is(err, net.ErrClosed)
}

// Open moves packets from the connection to the port until either fails, and
// returns its error. Size is the longest packet expected; a longer one is dropped.
func Open(from *dtlsadapter.Conn, to port.Port, size int, count *Way) error {
	burst := port.NewBurst(port.MaxBurst, size)
	r := NewReader(from, burst)
	for {
		n, err := r.Read()
		if err != nil {
			return err
		}
		sent, err := to.Send(burst[:n])
		count.Count(burst[:n], sent)
		if err != nil {
			return err
		}
	}
}

func total(packets [][]byte) (sum uint64) {
	for _, p := range packets {
		sum += uint64(len(p))
	}
	return sum
}

// Reader reads bursts of a connection into datagrams.
type Reader struct {
	from  *dtlsadapter.Conn
	burst []record.Datagram
	bufs  [][]byte
	sizes []int
}

// NewReader makes a reader that fills burst, made by port.NewBurst.
func NewReader(from *dtlsadapter.Conn, burst []record.Datagram) *Reader {
	return &Reader{from: from, burst: burst, bufs: make([][]byte, len(burst)), sizes: make([]int, len(burst))}
}

// Read waits for packets and says how many it put into the burst. One that is
// longer than its buffer is dropped.
func (r *Reader) Read() (int, error) {
	for i := range r.burst {
		r.bufs[i] = r.burst[i].Buf[port.Headroom:] // the caller may have changed their order
	}
	n, err := r.from.ReadBurst(r.bufs, r.sizes)
	for i := range n {
		r.burst[i].Off, r.burst[i].Len, r.burst[i].Drop = port.Headroom, r.sizes[i], record.DropNone
	}
	if n > 0 && errors.Is(err, io.ErrShortBuffer) {
		r.burst[n-1].Drop = record.DropTooLong
		return n, nil
	}
	return n, err
}

// Count counts a burst of which a port took as many as it did not drop.
func (w *Way) Count(burst []record.Datagram, sent int) {
	var drops record.Tally
	var bytes uint64
	for i := range burst {
		if drops[burst[i].Drop]++; burst[i].Drop == record.DropNone {
			bytes += uint64(burst[i].Len)
		}
	}
	w.Add(sent, bytes, &drops)
}
