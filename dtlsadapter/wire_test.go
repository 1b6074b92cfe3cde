package dtlsadapter

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/dtls/v2"
)

// tapped connects a pair of our own and lets an outsider listen.
func tapped(t testing.TB, id dtls.CipherSuiteID, p *pipe) (client, server *Conn, w *wiretap) {
	t.Helper()
	w = new(wiretap)
	p.a.keep, p.b.keep = true, true
	cc, sc := configs(t, id)
	cc.KeyLogWriter = &w.log
	cc.FlightInterval, sc.FlightInterval = 50*time.Millisecond, 50*time.Millisecond
	client, server = oursWith(t, p, cc, sc)
	w.listen(t, p, id)
	return client, server, w
}

// TestEveryRecordHasItsNumberAsNonce looks at what leaves: Finished, its repetition,
// data and alerts of both sides, under every suite.
func TestEveryRecordHasItsNumberAsNonce(t *testing.T) {
	for i := range suites {
		s := &suites[i]
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newPipe()
				p.b.setFilter(dropFirst(2, hasFinished)) // so that both sides send Finished again
				client, server, w := tapped(t, s.id, p)
				for range 5 {
					exchange(t, client, server)
				}
				must(t, client.Close())
				waitEOF(t, server)
				must(t, server.Close())
				checkNonces(t, s, w.client, recordsOf(p.a))
				checkNonces(t, s, w.server, recordsOf(p.b))
			})
		})
	}
}

func hasFinished(d []byte) bool {
	for rest := d; len(rest) > 0; {
		rec, behind, ok := cutRecord(rest)
		if !ok {
			return false
		}
		if h := parseHeader(rec); h.kind == typeHandshake && h.epoch() == 1 {
			return true
		}
		rest = behind
	}
	return false
}

// dropFirst loses the first n datagrams that match.
func dropFirst(n int, match func([]byte) bool) filter {
	return func(d []byte) [][]byte {
		if n > 0 && match(d) {
			n--
			return nil
		}
		return [][]byte{d}
	}
}

func waitEOF(t testing.TB, c *Conn) {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(long)))
	if n, err := c.Read(make([]byte, 100)); n != 0 || err == nil || err.Error() != "EOF" {
		t.Fatalf("read %d bytes and %v, want EOF", n, err)
	}
}

func checkNonces(t *testing.T, s *suite, o *oracle, records [][]byte) {
	t.Helper()
	kinds := map[byte]int{}
	next := uint64(1) << 48
	for _, rec := range records {
		h := parseHeader(rec)
		if h.epoch() == 0 {
			continue
		}
		if h.number != next {
			t.Errorf("record %012x came after %012x", h.number, next-1)
		}
		next = h.number + 1
		if o.explicit > 0 && !bytes.Equal(rec[13:21], rec[3:11]) {
			t.Errorf("record %x has nonce %x", rec[3:11], rec[13:21])
		}
		if _, err := o.open(rec); err != nil {
			t.Errorf("an outsider cannot open record %012x of type %d: %v", h.number, h.kind, err)
		}
		kinds[h.kind]++
	}
	if kinds[typeHandshake] < 2 || kinds[typeApplicationData] != 5 || kinds[typeAlert] != 1 {
		t.Errorf("%s: records by type %v", s.name, kinds)
	}
}

// TestAlertLeftInTheClearIsSealed has the alert that pion writes in epoch 1 without
// encryption when its handshake fails late.
func TestAlertLeftInTheClearIsSealed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, id := range []dtls.CipherSuiteID{gcm128, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256} {
			p := newPipe()
			client, server, w := tapped(t, id, p)
			clear := []byte{typeAlert, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 9, 0, 2, alertFatal, 40}
			_, err := client.lower.Write(clear)
			must(t, err)
			sent := recordsOf(p.a)
			last := sent[len(sent)-1]
			if plain, err := w.client.open(last); err != nil || !bytes.Equal(plain, []byte{alertFatal, 40}) {
				t.Errorf("alert %x opens to %x, %v", last, plain, err)
			}
			_, err = server.Read(make([]byte, 10))
			if alert, ok := err.(*AlertError); !ok || alert.Description != 40 {
				t.Errorf("the server read %v", err)
			}
		}
	})
}

// TestAlertWithoutKeysIsNotSent: there is nothing to seal it with.
func TestAlertWithoutKeysIsNotSent(t *testing.T) {
	p := newPipe()
	p.a.keep = true
	cc, _ := configs(t, gcm128)
	plan, err := newPlan(cc, newEngine(t))
	must(t, err)
	c := newConn(plan, &batchEnd{p.a}, false, newWriters())
	must(t, c.relay([]byte{typeAlert, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, alertFatal, 40}))
	if len(p.a.captured()) != 0 {
		t.Error("it was sent")
	}
	if err := c.relay([]byte{typeHandshake, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0}); err == nil {
		t.Error("a record was relayed without keys")
	}
}
