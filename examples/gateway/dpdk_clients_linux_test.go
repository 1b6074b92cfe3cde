//go:build dpdk

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/dtls/v2"
)

// dtlsClients are hosts at one address, each with a port of its own. They are pion's own
// clients, with Go's ciphers.
type dtlsClients struct {
	cable   *cable
	boxes   []chan []byte
	packets atomic.Uint64 // records with IP packets that were sent
	waiting atomic.Int64  // for answers to requests
}

const (
	firstPort       = 20000
	applicationData = 23
)

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
	datagram := bytes.Clone(frame[udp+8 : udp+min(size, len(frame)-udp)])
	if datagram[0] == applicationData && !carriesPacket(datagram) {
		c.waiting.Add(-1)
	}
	c.boxes[client] <- datagram
}

// send puts a client's datagram on the cable.
func (c *dtlsClients) send(client int, datagram []byte) {
	p := make([]byte, 28+len(datagram))
	copy(p, []byte{0x45, 0, byte(len(p) >> 8), byte(len(p)), 0, 0, 0x40, 0, 64, 17, 0, 0, 192, 0, 2, 2, 192, 0, 2, 1})
	binary.BigEndian.PutUint16(p[20:], uint16(firstPort+client))
	binary.BigEndian.PutUint16(p[22:], 4433)
	binary.BigEndian.PutUint16(p[24:], uint16(8+len(datagram)))
	fixIPv4(p)
	copy(p[28:], datagram)
	switch {
	case carriesPacket(datagram):
		c.packets.Add(1)
	case datagram[0] == applicationData:
		c.waiting.Add(1)
	}
	c.cable.send(toGateway(2, ofIPv4, p))
}

// carriesPacket tells records with IP packets from handshakes and from what gateways say
// to each other.
func carriesPacket(datagram []byte) bool {
	const overhead = 13 + 8 + 16
	return datagram[0] == applicationData && len(datagram) >= overhead+20
}

// clientSocket is one client's.
type clientSocket struct {
	clients *dtlsClients
	number  int
	latest  atomic.Pointer[[]byte] // record with an IP packet
	closed  chan struct{}
	once    sync.Once
}

func (s *clientSocket) Write(b []byte) (int, error) {
	if carriesPacket(b) {
		latest := bytes.Clone(b)
		s.latest.Store(&latest)
	}
	s.clients.send(s.number, b)
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

// dtlsClient is one whose tunnel is up.
type dtlsClient struct {
	*dtls.Conn
	socket  *clientSocket
	address []byte // inside
}

// connect shakes hands and asks for the client's address.
func (c *dtlsClients) connect(ctx context.Context, number int) (*dtlsClient, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	one := &dtlsClient{socket: &clientSocket{clients: c, number: number, closed: make(chan struct{})}}
	var err error
	one.Conn, err = dtls.ClientWithContext(ctx, one.socket, &dtls.Config{
		PSK: func([]byte) ([]byte, error) { return hex.DecodeString(clientKey(number)) }, PSKIdentityHint: fmt.Appendf(nil, "c%d", number),
		CipherSuites: []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256},
	})
	if err != nil {
		return nil, err
	}
	for range 2 { // after the first answer the gateway opens the session, and then gives the second
		if err := one.ask(); err != nil {
			return nil, err
		}
	}
	return one, nil
}

// ask asks for the client's address until there is an answer.
func (one *dtlsClient) ask() error {
	answer := make([]byte, 100)
	for end := time.Now().Add(patience); ; {
		if _, err := one.Write(request); err != nil {
			return err
		}
		if err := one.SetReadDeadline(time.Now().Add(patience / 20)); err != nil {
			return err
		}
		n, err := one.Conn.Read(answer)
		switch {
		case err == nil && n == 8:
			one.address = answer[4:8]
			return nil
		case !errors.Is(err, context.DeadlineExceeded) || time.Now().After(end):
			return fmt.Errorf("answer %x, %w", answer[:n], err)
		}
	}
}

// request asks for the client's address, and so keeps its session alive.
var request = []byte{1}

// packet reads the next IP packet. Answers to requests are none.
func (one *dtlsClient) packet() ([]byte, error) {
	got := make([]byte, 2000)
	if err := one.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	for {
		n, err := one.Conn.Read(got)
		if err != nil || n != 8 {
			return got[:n], err
		}
	}
}

// keepAlive speaks up for clients until it is told to stop, so that the first ones are not
// given up for silent before the last ones have come, however slow the machine. Only so many
// wait for an answer that the gateway sheds none.
func (c *dtlsClients) keepAlive(clients []atomic.Pointer[dtlsClient]) (stop func()) {
	var stopped atomic.Bool
	var running sync.WaitGroup
	running.Go(func() {
		for i := 0; !stopped.Load(); i = (i + 1) % len(clients) {
			if one := clients[i].Load(); one != nil && c.waiting.Load() < 256 {
				_, _ = one.Write(request)
			}
			time.Sleep(5 * time.Second / time.Duration(len(clients)))
		}
	})
	return func() { stopped.Store(true); running.Wait() }
}

// leave ends the sessions of all clients but the first, which asks now and then so that the
// gateway has seen to those before.
func (c *dtlsClients) leave(clients []atomic.Pointer[dtlsClient]) error {
	first := clients[0].Load()
	for i := range clients[1:] {
		if err := clients[1+i].Load().Close(); err != nil {
			return err
		}
		if i%500 != 0 {
			continue
		}
		if err := first.ask(); err != nil {
			return err
		}
	}
	return first.ask()
}
