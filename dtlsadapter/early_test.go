package dtlsadapter

import (
	"bytes"
	"testing"
	"time"

	"github.com/sealburst/sealburst/record"
)

// TestDataThatOvertakesFinished is kept until the handshake is over.
func TestDataThatOvertakesFinished(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	cc.FlightInterval = time.Hour // so that Finished is not sent again
	p := newPipe()
	var held []byte
	p.b.setFilter(func(d []byte) [][]byte {
		switch {
		case held == nil && hasFinished(d):
			held = bytes.Clone(d)
			return nil
		case held != nil:
			return [][]byte{d, held}
		}
		return [][]byte{d}
	})
	server := make(chan *Conn, 1)
	go func() {
		s, err := Server(patience(t), p.b, sc, e)
		if err != nil {
			t.Error(err)
		} else if _, err := s.Write([]byte("early")); err != nil {
			t.Error(err)
		}
		server <- s
	}()
	client, err := Client(patience(t), p.a, cc, e)
	must(t, err)
	wantRead(t, client, "early")
	must(t, client.Close())
	must(t, (<-server).Close())
}

// TestStashIsBounded: what a stranger sends before the handshake costs little.
func TestStashIsBounded(t *testing.T) {
	var s stash
	for range stashRecords {
		if cause := s.put(make([]byte, 10)); cause != record.DropNone {
			t.Fatal(cause)
		}
	}
	if cause := s.put(nil); cause != record.DropQueueFull {
		t.Errorf("one too many: %v", cause)
	}
	if got := s.take(); len(got) != stashRecords || len(s.take()) != 0 {
		t.Errorf("%d records", len(got))
	}
	if cause := s.put(make([]byte, stashBytes+1)); cause != record.DropQueueFull {
		t.Errorf("too long: %v", cause)
	}
}

// TestEarlyAlertsUnderKeysAreKept: pion may come to read them when the handshake is over
// and nobody asks it any more.
func TestEarlyAlertsUnderKeysAreKept(t *testing.T) {
	e := newEngine(t)
	_, sc := configs(t, gcm128)
	p, err := newPlan(sc, e)
	must(t, err)
	c := newConn(p, nil, true, nil)
	c.secrets.local.note(testHello(1, true))
	c.sortEarly(rec(typeAlert, version12, 0, 1, 2, []byte{2, 40}))
	if len(c.lower.queue) != 1 || len(c.stash.records) != 0 {
		t.Errorf("in the clear: %d for pion, %d kept", len(c.lower.queue), len(c.stash.records))
	}
	sealed := make([]byte, 26)
	c.sortEarly(rec(typeAlert, version12, 1, 1, len(sealed), sealed))
	if len(c.lower.queue) != 2 || len(c.stash.records) != 1 {
		t.Errorf("under keys: %d for pion, %d kept", len(c.lower.queue), len(c.stash.records))
	}
}
