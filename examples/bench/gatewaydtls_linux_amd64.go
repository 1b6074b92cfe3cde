package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/pion/dtls/v2"
)

// throughFar measures a program with its second device joined to a far side, once check
// has found that what comes there is right.
func (g *gatewayCell) throughFar(d time.Duration, program *exec.Cmd, check func(*far) error) (cost float64, err error) {
	f, err := meet(g.socket(), program)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.part()) }()
	if err := check(f); err != nil {
		return 0, err
	}
	return f.cost(d)
}

func (g *gatewayCell) socket() string { return filepath.Join(g.dir, "far.sock") }

// dtls is the gateway with one client. The client is pion's own, whose ciphers are Go's:
// it opens what the gateway sealed, and each packet of the capture must be among it,
// before the far side no longer looks.
func (g *gatewayCell) dtls(program string, d time.Duration) (float64, error) {
	flags := []string{
		"dpdk", "-psk", g.psk, "-suite", "TLS_PSK_WITH_AES_128_GCM_SHA256", "-address", "10.2.3.2/24", "-busy", "-log", "error",
		"-plain-device", g.endless(), "-plain-mac", plainMAC, "-plain-address", "10.1.0.1/24", "-plain-peer", "02:00:00:00:01:02",
		"-protected-device", farDevice(g.socket()), "-protected-mac", "02:00:00:00:02:01", "-protected-address", "192.0.2.1/24",
		"-protected-peer", "02:00:00:00:02:02",
	}
	return g.throughFar(d, exec.Command(program, flags...), func(f *far) error {
		client, err := connectFar(f)
		if err != nil {
			return err
		}
		return g.findAll(func() ([]byte, error) {
			packet := make([]byte, 1<<14)
			n, err := client.Read(packet)
			return packet[:n], err
		})
	})
}

// connectFar shakes hands with the gateway and asks for the client's address.
func connectFar(f *far) (*dtls.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), farPatience)
	defer cancel()
	socket := &farSocket{far: f, closed: make(chan struct{})}
	f.socket = socket
	client, err := dtls.ClientWithContext(ctx, socket, &dtls.Config{
		PSK:             func([]byte) ([]byte, error) { return hex.DecodeString(gatewayPSK) },
		PSKIdentityHint: []byte("bench"), CipherSuites: []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256},
	})
	if err != nil {
		return nil, fmt.Errorf("handshake: %w", err)
	}
	_, err = client.Write([]byte{1})
	return client, err
}

// espFar is the gateway with ESP on the same kind of device as with DTLS.
func (g *gatewayCell) espFar(program string, d time.Duration) (float64, error) {
	flags := append(g.flags(g.sa, g.endless(), farDevice(g.socket())), "-busy", "-log", "error")
	return g.throughFar(d, exec.Command(program, flags...), func(f *far) error {
		return g.findAll(func() ([]byte, error) {
			frame, err := f.next()
			if err != nil || len(frame) < espAt+24 {
				return nil, err
			}
			return openESP(frame[espAt:])
		})
	})
}

// testpmdFar moves frames to the far side and does nothing with them.
func (g *gatewayCell) testpmdFar(d time.Duration) (float64, error) {
	program, err := exec.LookPath("dpdk-testpmd")
	if err != nil {
		return 0, fmt.Errorf("%w: install the package dpdk-dev", errNotHere)
	}
	return g.throughFar(d, exec.Command(program, g.testpmdArgs(farDevice(g.socket()))...), func(f *far) error {
		return g.findAll(func() ([]byte, error) {
			frame, err := f.next()
			if err != nil || len(frame) < etherSize {
				return nil, err
			}
			return aged(frame[etherSize:]), nil // which nobody did
		})
	})
}

const (
	etherSize = 14
	espAt     = etherSize + 20
	dtlsAt    = espAt + 8
)

// next is a frame that came.
func (f *far) next() ([]byte, error) {
	select {
	case frame := <-f.frames:
		return frame, nil
	case <-time.After(farPatience):
		return nil, errors.New("nothing comes to the far side")
	}
}

// findAll reads until it has seen each packet of the capture, with its hop limit counted
// down. What is no such packet is an error, but for the first that come: answers to
// control messages.
func (g *gatewayCell) findAll(read func() ([]byte, error)) error {
	seen := map[int]bool{}
	for others := 0; len(seen) < captured; {
		packet, err := read()
		if err != nil {
			return err
		}
		number := -1
		if len(packet) >= g.size {
			number = int(packet[21])
		}
		switch {
		case number >= 0 && bytes.Equal(packet[:g.size], aged(plainPacket(number, g.size))):
			seen[number] = true
		case len(seen) > 0 || others > captured:
			return fmt.Errorf("%d bytes that nobody sent: %x", len(packet), packet)
		default:
			others++
		}
	}
	return nil
}

// aged is a packet behind a router.
func aged(packet []byte) []byte {
	packet[8]--
	packet[10], packet[11] = 0, 0
	binary.BigEndian.PutUint16(packet[10:], ipChecksum(packet[:20]))
	return packet
}

// farSocket is a UDP socket on the far side, connected to the gateway's port.
type farSocket struct {
	far    *far
	closed chan struct{}
	mu     sync.Mutex // of those who send: the memory goes with the socket
	over   bool
}

// Write sends one datagram. One for which there is no room is lost, as it may be.
func (s *farSocket) Write(datagram []byte) (int, error) {
	frame := append([]byte("\x02\x00\x00\x00\x02\x01\x02\x00\x00\x00\x02\x02\x08\x00"), make([]byte, dtlsAt-etherSize)...)
	ip := frame[etherSize:]
	copy(ip, []byte{0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 17, 0, 0, 192, 0, 2, 2, 192, 0, 2, 1, 0x4e, 0x20, 4433 >> 8, 4433 & 255})
	binary.BigEndian.PutUint16(ip[2:], uint16(28+len(datagram)))
	binary.BigEndian.PutUint16(ip[24:], uint16(8+len(datagram)))
	binary.BigEndian.PutUint16(ip[10:], ipChecksum(ip[:20]))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return 0, os.ErrClosed
	}
	s.far.link.Send(append(frame, datagram...))
	return len(datagram), nil
}

// Read waits for a datagram.
func (s *farSocket) Read(b []byte) (int, error) {
	for {
		select {
		case frame := <-s.far.frames:
			if len(frame) < dtlsAt || frame[12] != 8 || frame[13] != 0 {
				continue // not IPv4
			}
			payload := frame[dtlsAt:]
			return copy(b, payload[:min(len(payload), int(binary.BigEndian.Uint16(frame[dtlsAt-4:]))-8)]), nil
		case <-s.closed:
			return 0, os.ErrClosed
		}
	}
}

// Close ends reading and sending.
func (s *farSocket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.over {
		s.over = true
		close(s.closed)
	}
	return nil
}

// LocalAddr is of no use.
func (s *farSocket) LocalAddr() net.Addr { return &net.UDPAddr{} }

// RemoteAddr is of no use.
func (s *farSocket) RemoteAddr() net.Addr { return &net.UDPAddr{} }

// SetDeadline is not needed: whoever waits closes.
func (s *farSocket) SetDeadline(time.Time) error { return nil }

// SetReadDeadline is not needed.
func (s *farSocket) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is not needed: nothing waits.
func (s *farSocket) SetWriteDeadline(time.Time) error { return nil }
