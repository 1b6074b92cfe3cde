package dtlsadapter

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/pion/dtls/v2"
)

func testHello(fill byte, server bool) hello {
	h := hello{server: server}
	for i := range h.random {
		h.random[i] = fill
	}
	if server {
		h.suite = gcm128
	}
	return h
}

// TestForgedHellosProveNothing: the keys come from the pair under which pion's own
// record opens, whatever else was injected, as long as it was not too much.
func TestForgedHellosProveNothing(t *testing.T) {
	e := newEngine(t)
	for forged, want := range map[int]bool{0: true, 5: true, maxCandidates - 1: true, maxCandidates: false} {
		s := &secrets{}
		master := bytes.Repeat([]byte{9}, 48)
		_, err := s.Write(fmt.Appendf(nil, "CLIENT_RANDOM %x %x\n", make([]byte, 32), master))
		must(t, err)
		s.local.note(testHello(1, false))
		s.peer.note(testHello(2, true))
		for i := range forged {
			s.peer.note(testHello(byte(100+i), true))
		}
		real, _ := oracles(t, gcm128, master, bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32))
		own := real.seal(typeHandshake, 1<<48, []byte("randomly"), []byte("Finished"))
		a, err := s.prove(e, own)
		if (err == nil) != want {
			t.Errorf("%d forged hellos: %v", forged, err)
		}
		if err == nil && (a.serverRandom[0] != 2 || a.clientRandom[0] != 1) {
			t.Errorf("proven with randoms %d and %d", a.clientRandom[0], a.serverRandom[0])
		}
	}
}

// TestSuiteOfAnotherSession: an own suite that pion set up and then left proves nothing.
func TestSuiteOfAnotherSession(t *testing.T) {
	e := newEngine(t)
	id, err := suiteOf(TLS_PSK_WITH_CHACHA20_POLY1305_SHA256)
	must(t, err)
	s := &secrets{}
	o := &offer{suite: id, engine: e, secrets: s}
	if _, err := o.Decrypt(make([]byte, 60)); err == nil || o.IsInitialized() {
		t.Error("a suite without keys opened a record")
	}
	must(t, o.Init(make([]byte, 48), make([]byte, 32), make([]byte, 32), true))
	sealed := rec(typeHandshake, version12, 1, 0, 40, bytes.Repeat([]byte{3}, 40))
	if _, err := s.prove(e, sealed); err == nil {
		t.Error("a record of another suite proved the keys")
	}
	laid, err := o.Encrypt(nil, rec(typeHandshake, version12, 1, 0, 8, []byte("Finished")))
	must(t, err)
	if _, err := s.prove(e, laid); err != nil {
		t.Error(err)
	}
	for n := range 40 {
		if _, err := o.Decrypt(make([]byte, n)); err == nil {
			t.Errorf("%d bytes were opened", n)
		}
	}
	s.erase()
	if !bytes.Equal(s.agreed.master, make([]byte, 48)) {
		t.Error("the secret is still there")
	}
}

// TestHelloIsRead in whole and in a first fragment, and not in less.
func TestHelloIsRead(t *testing.T) {
	body := make([]byte, messageHeaderSize+helloPrefix)
	body[0], body[11] = messageServerHello, helloPrefix
	for i := range 32 {
		body[messageHeaderSize+2+i] = byte(i)
	}
	body[messageHeaderSize+randomEnd] = 32
	body[len(body)-2], body[len(body)-1] = 0xc0, 0x2b
	h, ok := parseHello(body)
	if !ok || !h.server || h.suite != dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 || h.random[31] != 31 {
		t.Errorf("%+v, %v", h, ok)
	}
	for n := range len(body) {
		if _, ok := parseHello(body[:n]); ok {
			t.Errorf("%d bytes were taken for a ServerHello", n)
		}
	}
	later := bytes.Clone(body)
	later[8] = 1 // a fragment further on
	short := bytes.Clone(body)
	short[11] = randomEnd - 1 // a fragment that ends within the random
	for _, b := range [][]byte{later, short} {
		if _, ok := parseHello(b); ok {
			t.Errorf("%x was taken for a hello", b)
		}
	}
}
