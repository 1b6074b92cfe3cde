//go:build dpdk

package main

import (
	"bytes"
	"context"
	"net"
	"testing"

	"github.com/pion/dtls/v2"
)

// mute is a socket that keeps the first datagram, and gets none.
type mute struct {
	clientSocket
	first chan []byte
}

func (m *mute) Write(b []byte) (int, error) {
	select {
	case m.first <- bytes.Clone(b):
	default:
	}
	return len(b), nil
}

func (m *mute) Read([]byte) (int, error) {
	<-m.closed
	return 0, net.ErrClosed
}

// clientHello is the first datagram of a client.
func clientHello(t *testing.T) []byte {
	t.Helper()
	socket := &mute{clientSocket{closed: make(chan struct{})}, make(chan []byte, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = dtls.ClientWithContext(ctx, socket, &dtls.Config{
			PSK: func([]byte) ([]byte, error) { return []byte{1}, nil }, PSKIdentityHint: []byte("nobody"),
			CipherSuites: []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256},
		})
	}()
	hello := <-socket.first
	cancel()
	_ = socket.Close()
	<-done
	return hello
}

// TestFloodOfHandshakesOnDPDK from addresses that do not answer is shed, and each is
// counted; a client that comes meanwhile gets its tunnel, and loses nothing in it.
func TestFloodOfHandshakesOnDPDK(t *testing.T) {
	const forged, packets = 4000, 5
	g := newDTLSGateway(t, 1)
	hello := clientHello(t)
	for i := range forged {
		g.clients.send(1+i, hello)
	}
	one, err := g.clients.connect(t.Context(), 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, g.log())
	}
	for i := range forged / 4 {
		g.clients.send(1+i, hello)
	}
	if err := g.plain.talk(one, packets); err != nil {
		t.Error(err)
	}
	sum := totalsOf(g.process)
	if sum.Opened != 1 || sum.Shed == 0 || sum.Shed+sum.Failed+sum.Overrun < forged {
		t.Errorf("%+v", sum)
	}
	sum.Out.account(t, "plain", g.plain.sent, packets, nil)
	sum.In.account(t, "protected", g.clients.packets.Load(), packets, map[string]uint64{"replayed": 1, "unauthentic": 1})
}
