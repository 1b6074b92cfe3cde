package dtlsadapter

import (
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/record"
)

// forgedHello is the start of a ClientHello.
func forgedHello() []byte {
	body := make([]byte, messageHeaderSize+randomEnd)
	body[0], body[11] = messageClientHello, randomEnd
	return rec(typeHandshake, version12, 0, 0, len(body), body)
}

// TestStrangersAreDropped: only a ClientHello makes a connection.
func TestStrangersAreDropped(t *testing.T) {
	e := newEngine(t)
	_, sc := configs(t, gcm128)
	l := listen(t, e, sc)
	u := dial(t, l.Addr())
	for _, d := range [][]byte{
		{1}, []byte("GET / HTTP/1.1\r\n\r\n"), rec(typeApplicationData, version12, 1, 1, 40, make([]byte, 40)),
		rec(typeHandshake, version12, 0, 1, 90, append([]byte{messageServerHello}, make([]byte, 89)...)),
		rec(typeHandshake, version12, 0, 1, 45, append([]byte{messageClientHello}, make([]byte, 44)...)),
		rec(typeHandshake, version12, 1, 1, 90, append([]byte{messageClientHello}, make([]byte, 89)...)),
	} {
		_, err := u.Write(d)
		must(t, err)
	}
	wantStats(t, l, func(s ListenerStats) bool { return s.Drops[record.DropUnknownSession] == 6 && s.Peers == 0 })
}

// flood sends hellos of that many strangers, as fast as the listener's socket takes them.
func flood(t *testing.T, l *Listener, n int) {
	t.Helper()
	const atOnce = 32
	before := l.Stats().Datagrams
	for i := range n {
		_, err := dial(t, l.Addr()).Write(forgedHello())
		must(t, err)
		if sent := uint64(i + 1); sent%atOnce == 0 {
			wantStats(t, l, func(s ListenerStats) bool { return s.Datagrams >= before+sent })
		}
	}
}

// TestFloodIsShed: more strangers than there is room for cost nothing but a counter,
// and who is connected notices nothing.
func TestFloodIsShed(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	l := listen(t, e, sc)
	cs, conns := clients(t, l, e, cc, 1)
	wantNoHandshakes(t, l) // the one that Accept returned keeps its place for a moment
	const extra = 20
	flood(t, l, maxHandshakes+extra)
	wantStats(t, l, func(s ListenerStats) bool { return s.Shed == extra && s.Peers == maxHandshakes+1 })
	if s := l.Stats(); s.Failed != 0 {
		t.Errorf("%+v", s)
	}
	exchange(t, cs[0], conns[0])
}

// wantNoHandshakes waits for those to end that Accept returned already.
func wantNoHandshakes(t *testing.T, l *Listener) {
	t.Helper()
	if !comes(func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.serving == 0
	}) {
		t.Fatal("handshakes go on")
	}
}

// TestFloodKeepsNobodyOut: strangers that do not answer make room for who does.
func TestFloodKeepsNobodyOut(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256)
	l := listen(t, e, sc)
	flood(t, l, maxHandshakes)
	wantStats(t, l, func(s ListenerStats) bool { return s.Peers == maxHandshakes && s.Shed == 0 })
	cs, conns := clients(t, l, e, cc, 3)
	for i := range cs {
		exchange(t, cs[i], conns[i])
	}
	if s := l.Stats(); s.Shed == 0 || s.Failed != 0 {
		t.Errorf("%+v", s)
	}
}

// TestRoomForHandshakes: only those whose address may be forged are given up.
func TestRoomForHandshakes(t *testing.T) {
	e := newEngine(t)
	_, sc := configs(t, gcm128)
	p, err := newPlan(sc, e)
	must(t, err)
	l := &Listener{}
	given := -1
	for i := range maxHandshakes {
		c := newConn(p, nil, true, nil)
		c.abandon = func() { given = i }
		c.secrets.local.note(testHello(1, true))
		l.handshakes = append(l.handshakes, c)
	}
	if l.makeRoom() || given >= 0 {
		t.Errorf("handshake %d was given up, whose peer is where it says", given)
	}
	l.handshakes[7].secrets.local = hellos{}
	l.handshakes[9].secrets.local = hellos{}
	if !l.makeRoom() || given != 7 || len(l.handshakes) != maxHandshakes-1 {
		t.Errorf("handshake %d was given up, and not the oldest", given)
	}
	l.serving = maxHandshakes + maxEnding
	if l.makeRoom() {
		t.Error("no bound for handshakes that wind up")
	}
}

// TestForgedHelloIsForgotten: who does not return the cookie holds no place for long.
func TestForgedHelloIsForgotten(t *testing.T) {
	e := newEngine(t)
	_, sc := configs(t, gcm128)
	l := listenFor(t, e, sc, 50*time.Millisecond)
	_, err := dial(t, l.Addr()).Write(forgedHello())
	must(t, err)
	wantStats(t, l, func(s ListenerStats) bool { return s.Failed == 1 && s.Peers == 0 })
}
