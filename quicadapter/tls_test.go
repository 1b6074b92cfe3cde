package quicadapter

import (
	"context"
	"crypto/tls"
	"errors"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// handshakes are a client and a server whose CRYPTO data travel without packets.
type handshakes struct {
	*link
	clientTLS, serverTLS *TLS
}

func newHandshakes(t testing.TB, v Version, client, server *tls.Config) *handshakes {
	t.Helper()
	h := &handshakes{link: newLink(t, v)}
	h.clientTLS = newTLS(t, h.client, client, "client's parameters")
	h.serverTLS = newTLS(t, h.server, server, "server's parameters")
	return h
}

func newTLS(t testing.TB, c *Conn, config *tls.Config, parameters string) *TLS {
	t.Helper()
	h, err := NewTLS(TLSConfig{c, config, []byte(parameters)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func (h *handshakes) start() {
	h.Helper()
	for _, t := range []*TLS{h.clientTLS, h.serverTLS} {
		if err := t.Start(context.Background()); err != nil {
			h.Fatal(err)
		}
	}
}

// run carries CRYPTO data until neither side has any.
func (h *handshakes) run() error {
	for moved := true; moved; {
		moved = false
		for _, way := range [][2]*TLS{{h.clientTLS, h.serverTLS}, {h.serverTLS, h.clientTLS}} {
			for t := Initial; t.HasKeys(); t++ {
				data := way[0].Take(t)
				if len(data) == 0 {
					continue
				}
				moved = true
				if err := way[1].Receive(t, data); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func configs(t testing.TB) (client, server *tls.Config) {
	cert, pool := peertest.Certificate(t, "server")
	client = &tls.Config{MinVersion: tls.VersionTLS13, ServerName: "server", RootCAs: pool, NextProtos: []string{"ping"}}
	server = &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}, NextProtos: []string{"ping"}}
	return client, server
}

func TestTLSInstallsKeys(t *testing.T) {
	for _, v := range versions {
		client, server := configs(t)
		h := newHandshakes(t, v, client, server)
		h.start()
		if err := h.run(); err != nil {
			t.Fatal(err)
		}
		if !h.clientTLS.Complete() || !h.serverTLS.Complete() {
			t.Fatal("not complete")
		}
		if string(h.clientTLS.PeerParameters()) != "server's parameters" || string(h.serverTLS.PeerParameters()) != "client's parameters" {
			t.Errorf("parameters %q, %q", h.clientTLS.PeerParameters(), h.serverTLS.PeerParameters())
		}
		if alpn := h.clientTLS.State().NegotiatedProtocol; alpn != "ping" {
			t.Errorf("protocol %q", alpn)
		}
		h.client.Confirm()
		h.server.Confirm()
		for phase := range uint64(3) {
			if h.ping(h.client) != phase || h.ping(h.server) != phase || h.client.Update() != nil {
				t.Fatalf("phase %d", phase)
			}
		}
	}
}

// The second connection resumes the first and sends before it hears from the server.
func TestTLSEarlyData(t *testing.T) {
	client, server := configs(t)
	client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	first := newHandshakes(t, Version1, client, server)
	first.start()
	if err := first.run(); err != nil {
		t.Fatal(err)
	}
	if err := first.serverTLS.SendTicket(true); err != nil {
		t.Fatal(err)
	}
	if err := first.run(); err != nil {
		t.Fatal(err)
	}
	second := newHandshakes(t, Version1, client, server)
	second.start()
	if !second.client.CanSeal(ZeroRTT) {
		t.Fatal("no 0-RTT keys")
	}
	early := second.seal(outgoing(second.client, ZeroRTT, []byte("early")))
	if err := second.run(); err != nil {
		t.Fatal(err)
	}
	if second.clientTLS.EarlyRejected() || !second.clientTLS.State().DidResume {
		t.Fatal("0-RTT was refused")
	}
	second.add(second.server, "")
	second.opens(early, 0, []byte("early"))
	if second.client.CanSeal(ZeroRTT) {
		t.Error("0-RTT beside 1-RTT")
	}
}

func TestTLSEarlyDataRejected(t *testing.T) {
	client, server := configs(t)
	client.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	first := newHandshakes(t, Version1, client, server)
	first.start()
	if first.run() != nil || first.serverTLS.SendTicket(true) != nil || first.run() != nil {
		t.Fatal("no ticket")
	}
	forgetful := server.Clone()
	forgetful.SetSessionTicketKeys([][32]byte{{1}})
	second := newHandshakes(t, Version1, client, forgetful)
	second.start()
	if err := second.serverTLS.Receive(Initial, second.clientTLS.Take(Initial)); err != nil {
		t.Fatal(err)
	}
	for _, typ := range []Type{Initial, Handshake} { // the server's flight, byte by byte
		for _, b := range second.serverTLS.Take(typ) {
			if err := second.clientTLS.Receive(typ, []byte{b}); err != nil {
				t.Fatal(err)
			}
			if second.clientTLS.EarlyRejected() && second.client.CanSeal(ZeroRTT) {
				t.Fatal("0-RTT keys outlive their refusal")
			}
		}
	}
	if !second.clientTLS.EarlyRejected() {
		t.Error("0-RTT was not refused")
	}
}

func TestTLSFailureIsAnAlert(t *testing.T) {
	client, server := configs(t)
	client.ServerName = "another"
	h := newHandshakes(t, Version1, client, server)
	h.start()
	err := h.run()
	if alert := tls.AlertError(0); !errors.As(err, &alert) {
		t.Errorf("%v", err)
	}
	if h.client.CanSeal(OneRTT) {
		t.Error("keys in spite of it")
	}
}

func TestTLSRefuses(t *testing.T) {
	client, _ := configs(t)
	conn := newConn(t, newEngine(t), Version1, Client)
	old := client.Clone()
	old.MinVersion = tls.VersionTLS12
	for name, c := range map[string]TLSConfig{"Conn": {nil, client, nil}, "TLS": {conn, nil, nil}, "MinVersion": {conn, old, nil}} {
		if _, err := NewTLS(c); !errors.Is(err, ErrConfig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	h := newTLS(t, conn, client, "")
	if err := h.Receive(Retry, nil); !errors.Is(err, ErrConfig) || h.Take(Retry) != nil {
		t.Error(err)
	}
}
