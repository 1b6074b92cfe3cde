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
