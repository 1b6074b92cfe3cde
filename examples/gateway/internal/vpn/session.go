package vpn

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/ippacket"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// How long a session may be silent, and how often a client speaks up for it.
const (
	keepalive = 10 * time.Second
	silence   = 35 * time.Second // three keepalives may be lost
)

// session is one tunnel.
type session struct {
	conn     *dtlsadapter.Conn
	identity string     // of the peer
	address  netip.Addr // of the peer inside the tunnel; a packet from another is dropped. The zero Addr admits all

	replaced bool // at a server: a newer session of the client has taken over

	// control handles a control message; the burst's memory is lent.
	control func(message []byte)
}

// send seals and sends packets. What ends the session shows where it is read.
func (s *session) send(packets [][]byte, drops *record.Tally, count *tunnel.Way) {
	_ = tunnel.Send(s.conn, packets, drops, count)
}

// worn reports whether the session's keys have done enough: that many records either
// way, or what the record layer asks for.
func (s *session) worn(records uint64) bool {
	stats := s.conn.Stats()
	return s.conn.RekeySoon() || stats.Sent.Records >= records || stats.Received.Records >= records
}

// inward moves packets from the session to the plain side, so many at a time, until the
// session is over, silent for too long, or the plain side fails; it returns why.
func (s *session) inward(plain port.Port, packets, mtu int, count *tunnel.Way) error {
	burst := port.NewBurst(packets, mtu)
	r := tunnel.NewReader(s.conn, burst)
	for {
		if err := s.conn.SetReadDeadline(time.Now().Add(silence)); err != nil {
			return err
		}
		n, err := r.Read()
		if err != nil {
			return err
		}
		admitted := s.admit(burst[:n])
		sent, err := plain.Send(admitted)
		count.Count(admitted, sent)
		if err != nil {
			return err
		}
	}
}

// admit handles control messages and returns the packets, which it puts in front. Those
// with a source address that is not the peer's are dropped.
func (s *session) admit(burst []record.Datagram) (packets []record.Datagram) {
	n := 0
	for i := range burst {
		d := &burst[i]
		if d.Drop == record.DropNone {
			if isControl(d.Content()) {
				s.control(d.Content())
				continue
			}
			d.Drop = s.refuse(d.Content())
		}
		burst[n], burst[i] = burst[i], burst[n]
		n++
	}
	return burst[:n]
}

func (s *session) refuse(packet []byte) record.Drop {
	source, _, ok := ippacket.Addresses(packet)
	switch {
	case !ok:
		return record.DropMalformed
	case s.address.IsValid() && source != s.address:
		return record.DropSource
	}
	return record.DropNone
}

// failure says in a line why a handshake failed.
func failure(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "not over in time: the other side is silent, or has another pre-shared key"
	case errors.Is(err, context.Canceled):
		return "given up: the peer fell silent or began anew, or this gateway stops"
	}
	text := strings.TrimPrefix(err.Error(), dtlsadapter.ErrHandshake.Error()+": ")
	return strings.ReplaceAll(text, "\n", "; ")
}

// ending says in a word how a session ended.
func ending(err error) string {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "silent"
	case errors.Is(err, io.EOF):
		return "closed by peer"
	case errors.Is(err, net.ErrClosed):
		return "closed"
	}
	return err.Error()
}
