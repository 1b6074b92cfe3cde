package dtlsadapter

import (
	"bytes"
	"fmt"
	"net"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/record"
)

// forged is forgedHello with a random of its own.
func forged(i int) []byte {
	h := forgedHello()
	h[headerSize+messageHeaderSize+2] = byte(i)
	h[headerSize+messageHeaderSize+3] = byte(i >> 8)
	return h
}

// meddled sends forged hellos from the client's own address before its last flight.
type meddled struct {
	*net.UDPConn
	t      testing.TB
	l      *Listener
	writes int
	forged int
}

func (m *meddled) Write(b []byte) (int, error) {
	if m.writes++; m.writes == 3 { // two hellos went before
		for i := range m.forged {
			_, err := m.UDPConn.Write(forged(i))
			must(m.t, err)
		}
		wantStats(m.t, m.l, func(s ListenerStats) bool { return s.Datagrams >= uint64(2+m.forged) })
	}
	return m.UDPConn.Write(b)
}

// TestForgedHellosAfterTheCookie change nothing, however many they are.
func TestForgedHellosAfterTheCookie(t *testing.T) {
	for _, n := range []int{maxCandidates - 1, maxCandidates, 3 * maxCandidates} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			e := newEngine(t)
			cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
			l := listen(t, e, sc)
			c, err := Client(patience(t), &meddled{UDPConn: dial(t, l.Addr()), t: t, l: l, forged: n}, cc, e)
			must(t, err)
			defer c.Close()
			s, err := l.AcceptConn()
			must(t, err)
			defer s.Close()
			exchange(t, c, s)
		})
	}
}

// TestServerKeepsTheHelloItAnswered, and otherwise has the random of the key log.
func TestServerKeepsTheHelloItAnswered(t *testing.T) {
	e := newEngine(t)
	master := bytes.Repeat([]byte{9}, 48)
	_, sealer := oracles(t, gcm128, master, bytes.Repeat([]byte{2}, 32), bytes.Repeat([]byte{1}, 32))
	own := sealer.seal(typeHandshake, 1<<48, []byte("randomly"), []byte("Finished"))
	for name, test := range map[string]struct {
		logged        byte
		before, after int
		proven        bool
	}{
		"answered":        {logged: 1, after: 100, proven: true}, // as pion's server logs a resumption
		"pushed out":      {logged: 1, before: maxCandidates},
		"out, but logged": {logged: 2, before: maxCandidates, proven: true},
	} {
		s := &secrets{server: true}
		_, err := s.Write(fmt.Appendf(nil, "CLIENT_RANDOM %x %x\n", bytes.Repeat([]byte{test.logged}, 32), master))
		must(t, err)
		s.peer.note(testHello(2, false))
		for i := range test.before {
			s.received(forged(i + 1))
		}
		s.local.note(testHello(1, true))
		for i := range test.after {
			s.received(forged(i + 1))
		}
		if _, err := s.prove(e, own); (err == nil) != test.proven {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStrangersFillNoMemory: until it has answered, a server's pion sees ClientHellos
// and not many of them.
func TestStrangersFillNoMemory(t *testing.T) {
	e := newEngine(t)
	_, sc := configs(t, gcm128)
	p, err := newPlan(sc, e)
	must(t, err)
	c := newConn(p, nil, true, nil)
	part := make([]byte, 1000)
	part[0], part[8] = messageClientHello, 1 // a fragment from the middle
	other := bytes.Clone(part)
	other[0] = messageFinished
	for _, d := range [][]byte{
		rec(typeHandshake, version12, 0, 1, len(other), other), rec(typeHandshake, version12, 1, 1, len(part), part),
		rec(typeApplicationData, version12, 1, 1, len(part), part), rec(typeAlert, version12, 0, 1, 2, []byte{2, 40}),
		rec(typeChangeCipherSpec, version12, 0, 1, 1, []byte{1}),
	} {
		c.sortEarly(d)
	}
	if n := len(c.lower.queue); n != 0 || len(c.stash.records) != 0 {
		t.Errorf("%d datagrams for pion, %d kept", n, len(c.stash.records))
	}
	for i := range 60 {
		c.sortEarly(rec(typeHandshake, version12, 0, uint64(i), len(part), part))
	}
	if n := len(c.lower.queue) * (headerSize + len(part)); n == 0 || n > firstBytes {
		t.Errorf("pion gets %d bytes", n)
	}
	drops := c.early.Snapshot()
	if drops[record.DropType] != 5 || drops[record.DropQueueFull] != 60-uint64(len(c.lower.queue)) {
		t.Errorf("%v", drops.ByName())
	}
	c.secrets.local.note(testHello(1, true))
	<-c.lower.queue
	c.sortEarly(rec(typeHandshake, version12, 0, 1, len(other), other))
	c.sortEarly(rec(typeApplicationData, version12, 1, 1, len(part), part))
	if len(c.stash.records) != 1 || c.early.Snapshot() != drops {
		t.Error("a peer that returned its cookie is still mistrusted")
	}
}

// TestFinishedIsTheConnections: a stranger's hello does not divert what the peer repeats.
func TestFinishedIsTheConnections(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	l := listen(t, e, sc)
	u := dial(t, l.Addr())
	c, err := Client(patience(t), u, cc, e)
	must(t, err)
	defer c.Close()
	s, err := l.AcceptConn()
	must(t, err)
	defer s.Close()
	_, err = u.Write(forgedHello())
	must(t, err)
	wantStats(t, l, func(s ListenerStats) bool { return s.Peers == 2 })

	from := u.LocalAddr().(*net.UDPAddr).AddrPort()
	repeated := rec(typeHandshake, version12, 1, 7, 48, make([]byte, 48))
	l.mu.Lock()
	defer l.mu.Unlock()
	begun := l.returning[from]
	if l.owner(from, repeated) != s {
		t.Error("a stranger's handshake gets what the peer repeats")
	}
	if l.owner(from, rec(typeHandshake, version12, 0, 7, 48, make([]byte, 48))) != begun {
		t.Error("the new handshake does not get its messages")
	}
	begun.secrets.sent(serverHello())
	if l.owner(from, repeated) != begun {
		t.Error("a peer that returned its cookie does not get its new connection")
	}
}

// serverHello is the start of a ServerHello.
func serverHello() []byte {
	body := make([]byte, messageHeaderSize+randomEnd+3)
	body[0], body[11] = messageServerHello, randomEnd+3
	return rec(typeHandshake, version12, 0, 0, len(body), body)
}
