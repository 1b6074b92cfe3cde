package lan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
)

// Trial is one of the four tests. They are named by what the target does.
type Trial string

// The tests.
const (
	TCPReceive Trial = "tcp_receive"
	TCPSend    Trial = "tcp_send"
	TCPEcho    Trial = "tcp_echo"
	UDPEcho    Trial = "udp_echo_1400"
)

// Trials lists the tests in the order of the table.
func Trials() []Trial { return []Trial{TCPReceive, TCPSend, TCPEcho, UDPEcho} }

const (
	datagramSize = 1400
	// outstanding is how many datagrams are on their way at a time.
	outstanding = 64
	// patience is how long a transfer may take, and lost how long a datagram may.
	patience = 2 * time.Minute
	lost     = 200 * time.Millisecond
)

// Effort is how much a trial moves.
type Effort struct {
	Bytes int64         // by TCP
	Time  time.Duration // of UDP
}

// Run does a test against the target's services and returns bytes a second: those that
// the target received, sent, or sent back.
func (h *Host) Run(t Trial, effort Effort) (rate float64, err error) {
	began := time.Now()
	moved := effort.Bytes
	switch t {
	case TCPReceive:
		err = h.exchange(discardPort, func(c *gonet.TCPConn) error { return fill(c, moved) })
	case TCPSend:
		err = h.exchange(sourcePort, func(c *gonet.TCPConn) error { return drain(c, moved) })
	case TCPEcho:
		err = h.exchange(echoPort, func(c *gonet.TCPConn) error { return both(c, moved) })
	case UDPEcho:
		moved, err = h.echo(effort.Time)
	default:
		err = errors.New("lan: unknown test")
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t, err)
	}
	return float64(moved) / time.Since(began).Seconds(), nil
}

func (h *Host) exchange(port uint16, work func(*gonet.TCPConn) error) error {
	c, err := gonet.DialTCP(h.stack, tcpip.FullAddress{NIC: nic, Addr: address(Target), Port: port}, ipv4.ProtocolNumber)
	if err != nil {
		return err
	}
	_ = c.SetDeadline(time.Now().Add(patience)) // never fails
	if err := work(c); err != nil {
		_ = c.Close()
		return err
	}
	return c.Close()
}

// fill sends a stream and waits until the target has all of it.
func fill(c *gonet.TCPConn, n int64) error {
	if err := send(c, n); err != nil {
		return err
	}
	if err := c.CloseWrite(); err != nil {
		return err
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		return fmt.Errorf("lan: the target did not take everything: %w", err)
	}
	return nil
}

// drain asks for a stream and reads it.
func drain(c *gonet.TCPConn, n int64) error {
	var ask [8]byte
	binary.BigEndian.PutUint64(ask[:], uint64(n))
	if _, err := c.Write(ask[:]); err != nil {
		return err
	}
	return receive(c, n)
}

// both sends a stream and reads it again.
func both(c *gonet.TCPConn, n int64) error {
	sent := make(chan error, 1)
	go func() { sent <- send(c, n) }()
	if err := receive(c, n); err != nil {
		return err
	}
	return <-sent
}

// echo sends datagrams, some at a time, for a while and until one is back, and counts the
// bytes that came back.
func (h *Host) echo(span time.Duration) (moved int64, err error) {
	to := tcpip.FullAddress{NIC: nic, Addr: address(Target), Port: echoPort}
	u, err := gonet.DialUDP(h.stack, nil, &to, ipv4.ProtocolNumber)
	if err != nil {
		return 0, err
	}
	e := echoing{conn: u, buffer: make([]byte, longest)}
	defer func() { _ = u.Close() }()
	return e.run(time.Now().Add(span))
}

// echoing is the peer's side of the UDP test.
type echoing struct {
	conn   net.Conn
	buffer []byte
	next   int64 // the stream's place where the next datagram begins
}

func (e *echoing) run(until time.Time) (moved int64, err error) {
	for range outstanding {
		if err := e.send(); err != nil {
			return 0, err
		}
	}
	for misses := 0; moved == 0 || time.Now().Before(until); {
		_ = e.conn.SetReadDeadline(time.Now().Add(lost)) // never fails
		n, err := e.conn.Read(e.buffer)
		switch {
		case err == nil:
			misses = 0
			moved += int64(n)
			if !e.genuine(e.buffer[:n]) {
				return 0, errContent
			}
		case misses == maxMisses:
			return 0, fmt.Errorf("lan: no datagram comes back: %w", err)
		default: // everything that was on its way is lost
			misses++
		}
		if err := e.send(); err != nil {
			return 0, err
		}
	}
	return moved, nil
}

// maxMisses in a row say that the path is dead.
const maxMisses = 10

func (e *echoing) send() error {
	_, err := e.conn.Write(pattern[e.next%period:][:datagramSize])
	e.next += datagramSize
	return err
}

// genuine reports whether a datagram is one that was sent.
func (e *echoing) genuine(b []byte) bool {
	return len(b) == datagramSize && b[0] < period && string(b) == string(pattern[b[0]:][:datagramSize])
}
