//go:build dpdk

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/examples/internal/memif"
)

// cable is the far side of one of the gateway's devices: shared memory.
type cable struct {
	link   *memif.Link
	mu     sync.Mutex // of those who send
	closed atomic.Bool
	done   chan struct{}
}

// plugIn listens for the gateway's device, of which it returns how to name it, and a
// function that waits until both are joined.
func plugIn(t *testing.T, number int) (device string, joined func(take func(frame []byte)) *cable) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := memif.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	timeout := time.AfterFunc(patience, func() { _ = l.Close() })
	device = fmt.Sprintf("net_memif%d,role=client,socket-abstract=no,socket=%s", number, path)
	return device, func(take func([]byte)) *cable {
		t.Helper()
		defer timeout.Stop()
		link, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		c := &cable{link: link, done: make(chan struct{})}
		go c.run(take)
		t.Cleanup(func() {
			c.mu.Lock()
			c.closed.Store(true)
			c.mu.Unlock()
			<-c.done
			_ = link.Close()
			_ = l.Close()
		})
		return c
	}
}

func (c *cable) run(take func([]byte)) {
	defer close(c.done)
	for !c.closed.Load() {
		if c.link.Receive(take) == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// send waits for room.
func (c *cable) send(frame []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.closed.Load() && !c.link.Send(frame) {
		time.Sleep(10 * time.Microsecond)
	}
}

// dtlsClients are hosts at one address, each with a port of its own. They are pion's own
// clients, with Go's ciphers.
type dtlsClients struct {
	cable *cable
	boxes []chan []byte
}

const firstPort = 20000

// take gives a datagram to the client whose port it is for.
func (c *dtlsClients) take(frame []byte) {
	const udp = 14 + 20
	if len(frame) < udp+8 || frame[23] != 17 {
		return
	}
	client := int(binary.BigEndian.Uint16(frame[udp+2:])) - firstPort
	if client < 0 || client >= len(c.boxes) {
		return
	}
	size := int(binary.BigEndian.Uint16(frame[udp+4:]))
	c.boxes[client] <- bytes.Clone(frame[udp+8 : udp+min(size, len(frame)-udp)])
}

// clientSocket is one client's.
type clientSocket struct {
	clients *dtlsClients
	number  int
	closed  chan struct{}
	once    sync.Once
}

func (s *clientSocket) Write(b []byte) (int, error) {
	p := make([]byte, 28+len(b))
	copy(p, []byte{0x45, 0, byte(len(p) >> 8), byte(len(p)), 0, 0, 0x40, 0, 64, 17, 0, 0, 192, 0, 2, 2, 192, 0, 2, 1})
	binary.BigEndian.PutUint16(p[20:], uint16(firstPort+s.number))
	binary.BigEndian.PutUint16(p[22:], 4433)
	binary.BigEndian.PutUint16(p[24:], uint16(8+len(b)))
	fixIPv4(p)
	copy(p[28:], b)
	s.clients.cable.send(toGateway(2, ofIPv4, p))
	return len(b), nil
}

func (s *clientSocket) Read(b []byte) (int, error) {
	select {
	case p := <-s.clients.boxes[s.number]:
		return copy(b, p), nil
	case <-s.closed:
		return 0, net.ErrClosed
	}
}

func (s *clientSocket) Close() error                     { s.once.Do(func() { close(s.closed) }); return nil }
func (s *clientSocket) LocalAddr() net.Addr              { return &net.UDPAddr{} }
func (s *clientSocket) RemoteAddr() net.Addr             { return &net.UDPAddr{} }
func (s *clientSocket) SetDeadline(time.Time) error      { return nil }
func (s *clientSocket) SetReadDeadline(time.Time) error  { return nil }
func (s *clientSocket) SetWriteDeadline(time.Time) error { return nil }

func clientKey(number int) string { return fmt.Sprintf("%032x", 0x5a5a0000+number) }

// connect shakes hands and asks for the client's address.
func (c *dtlsClients) connect(ctx context.Context, number int) (conn *dtls.Conn, address []byte, err error) {
	socket := &clientSocket{clients: c, number: number, closed: make(chan struct{})}
	conn, err = dtls.ClientWithContext(ctx, socket, &dtls.Config{
		PSK: func([]byte) ([]byte, error) { return hex.DecodeString(clientKey(number)) }, PSKIdentityHint: fmt.Appendf(nil, "c%d", number),
		CipherSuites: []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256},
	})
	if err != nil {
		return nil, nil, err
	}
	if _, err := conn.Write([]byte{1}); err != nil {
		return nil, nil, err
	}
	answer := make([]byte, 100)
	n, err := conn.Read(answer)
	if err != nil || n != 8 {
		return nil, nil, fmt.Errorf("%x, %w", answer[:n], err)
	}
	return conn, answer[4:8], nil
}

// TestThousandClientsOfDTLSOnDPDK shake hands over a virtual device while others are served;
// then what a host of the plain side sends to each, over another one, arrives: all of
// it, in order, and at nobody else.
func TestThousandClientsOfDTLSOnDPDK(t *testing.T) {
	const clients, atOnce, packetsEach = 1000, 20, 10
	var psk strings.Builder
	for i := range clients {
		fmt.Fprintf(&psk, "c%d:%s\n", i, clientKey(i))
	}
	plainDevice, plainJoined := plugIn(t, 0)
	protectedDevice, protectedJoined := plugIn(t, 1)
	gateway := start(t, []string{dpdkBinary(t), "dpdk", "-json", "-log", "warn", "-psk", write(t, "psk", []byte(psk.String())), "-address", "10.64.0.1/16",
		"-plain-device", plainDevice, "-plain-mac", "02:00:00:00:01:01", "-plain-address", "10.1.0.1/24", "-plain-peer", "02:00:00:00:01:02",
		"-protected-device", protectedDevice, "-protected-mac", "02:00:00:00:02:01", "-protected-address", "192.0.2.1/24", "-protected-peer", "02:00:00:00:02:02"})
	plain := plainJoined(func([]byte) {})
	c := &dtlsClients{}
	for range clients {
		c.boxes = append(c.boxes, make(chan []byte, 64))
	}
	ready := make(chan struct{})
	c.cable = protectedJoined(func(f []byte) { <-ready; c.take(f) })
	close(ready)

	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	conns, addresses := make([]*dtls.Conn, clients), make([][]byte, clients)
	inTurns(clients, atOnce, func(i int) {
		var err error
		if conns[i], addresses[i], err = c.connect(ctx, i); err != nil {
			t.Errorf("client %d: %v", i, err)
		}
	})
	if t.Failed() {
		t.Fatal(gateway.log())
	}
	packet := func(client, number int) []byte {
		return plainIPv4(80, func(p []byte) { copy(p[16:], addresses[client]); p[30] = byte(number) })
	}
	inTurns(clients, atOnce, func(i int) {
		for n := range packetsEach {
			plain.send(toGateway(1, ofIPv4, packet(i, n)))
			want, got := packet(i, n), make([]byte, 2000)
			want[8]--
			fixIPv4(want)
			if size, err := conns[i].Read(got); err != nil || !bytes.Equal(got[:size], want) {
				t.Errorf("client %d, packet %d: %x, %v", i, n, got[:size], err)
				return
			}
		}
	})
	inTurns(clients, atOnce, func(i int) { _ = conns[i].Close() })
	sum := gateway.interrupt()
	if sum.Opened != clients || sum.Failed != 0 || sum.Out.Packets != clients*packetsEach {
		t.Errorf("%+v", sum)
	}
}

// inTurns does something for each number, some at a time.
func inTurns(n, atOnce int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}
