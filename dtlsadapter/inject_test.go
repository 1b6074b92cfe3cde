package dtlsadapter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/record"
)

// rec lays out a record that nobody sealed.
func rec(kind byte, version, epoch uint16, sequence uint64, length int, body []byte) []byte {
	b := make([]byte, headerSize, headerSize+len(body))
	h := header{kind: kind, version: version, number: uint64(epoch)<<48 | sequence, length: length}
	h.put(b)
	return append(b, body...)
}

// wantDrops waits until the connection has dropped that many records for the cause,
// and no other record for any.
func wantDrops(t testing.TB, c *Conn, cause record.Drop, want uint64) {
	t.Helper()
	var drops record.Tally
	comes(func() bool {
		drops = c.Stats().Received.Drops
		return drops[cause] >= want
	})
	if drops[cause] != want || drops.Dropped() != want {
		t.Errorf("drops %v, want %d %v", drops.ByName(), want, cause)
	}
}

// TestBadRecordsAreDropped injects what a stranger can send to an established
// connection. Each is counted, and the connection lives.
func TestBadRecordsAreDropped(t *testing.T) {
	sealed := func(n int) []byte { return bytes.Repeat([]byte{7}, n) }
	for _, test := range []struct {
		name     string
		datagram []byte
		cause    record.Drop
	}{
		{"fatal alert in epoch 0 after completion", rec(typeAlert, version12, 0, 9, 2, []byte{2, 40}), record.DropEpoch},
		{"close_notify in epoch 0", rec(typeAlert, version12, 0, 9, 2, []byte{1, 0}), record.DropEpoch},
		{"ClientHello in epoch 0", rec(typeHandshake, version10, 0, 9, 60, append([]byte{1}, make([]byte, 59)...)), record.DropMalformed},
		{"ChangeCipherSpec in epoch 1, unauthenticated", rec(typeChangeCipherSpec, version12, 1, 9, 1, []byte{1}), record.DropType},
		{"ChangeCipherSpec in epoch 0", rec(typeChangeCipherSpec, version12, 0, 9, 1, []byte{1}), record.DropEpoch},
		{"application data in epoch 0", rec(typeApplicationData, version12, 0, 9, 4, []byte("data")), record.DropEpoch},
		{"epoch 2", rec(typeApplicationData, version12, 2, 9, 40, sealed(40)), record.DropEpoch},
		{"epoch 65535", rec(typeApplicationData, version12, 65535, 9, 40, sealed(40)), record.DropEpoch},
		{"forged data", rec(typeApplicationData, version12, 1, 9, 40, sealed(40)), record.DropUnauthentic},
		{"forged alert", rec(typeAlert, version12, 1, 9, 26, sealed(26)), record.DropUnauthentic},
		{"forged Finished", rec(typeHandshake, version12, 1, 9, 48, sealed(48)), record.DropUnauthentic},
		{"unknown type", rec(99, version12, 1, 9, 40, sealed(40)), record.DropType},
		{"DTLS 1.0", rec(typeApplicationData, version10, 1, 9, 40, sealed(40)), record.DropMalformed},
		{"TLS", rec(typeApplicationData, 0x0303, 1, 9, 40, sealed(40)), record.DropMalformed},
		{"header alone", rec(typeApplicationData, version12, 1, 9, 0, nil), record.DropTruncated},
		{"length past the datagram", rec(typeApplicationData, version12, 1, 9, 41, sealed(40)), record.DropTruncated},
		{"12 bytes", rec(typeApplicationData, version12, 1, 9, 0, nil)[:12], record.DropTruncated},
		{"1 byte", []byte{typeApplicationData}, record.DropTruncated},
		{"too long", rec(typeApplicationData, version12, 1, 9, MaxPlaintext+25, sealed(MaxPlaintext+25)), record.DropTooLong},
		{"as long as can be", rec(typeApplicationData, version12, 1, 9, 65000, sealed(65000)), record.DropTooLong},
	} {
		t.Run(test.name, bubble(func(t *testing.T) {
			p := newPipe()
			client, server := ours(t, p, gcm128)
			p.a.inject(test.datagram)
			wantDrops(t, server, test.cause, 1)
			exchange(t, client, server)
			p.b.inject(test.datagram)
			wantDrops(t, client, test.cause, 1)
			exchange(t, client, server)
		}))
	}
}

// TestShortRecordsOfEpoch1 has bodies of 0 to 24 bytes, below and at what nonce and
// tag take, under both forms of nonce.
func TestShortRecordsOfEpoch1(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, id := range []dtls.CipherSuiteID{gcm128, dtls.TLS_PSK_WITH_AES_128_CCM_8, TLS_PSK_WITH_CHACHA20_POLY1305_SHA256} {
			p := newPipe()
			client, server := ours(t, p, id)
			short := uint64(0)
			for _, kind := range []byte{typeApplicationData, typeAlert, typeHandshake} {
				for n := range 25 {
					p.a.inject(rec(kind, version12, 1, uint64(100+n), n, make([]byte, n)))
					if n < server.session.suite.overhead() {
						short++
					}
				}
			}
			exchange(t, client, server)
			drops := server.Stats().Received.Drops
			if drops[record.DropTruncated] != short || drops[record.DropUnauthentic] != 75-short || drops.Dropped() != 75 {
				t.Errorf("%s: drops %v", SuiteName(id), drops.ByName())
			}
		}
	})
}

// TestBadRecordBetweenGoodOnes: several records in a datagram stand each for itself.
func TestBadRecordBetweenGoodOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, bad := range [][]byte{
			rec(typeApplicationData, version12, 1, 50, 30, make([]byte, 30)),
			rec(typeApplicationData, version12, 1, 51, 0, nil),
			rec(typeAlert, version12, 0, 52, 2, []byte{2, 40}),
			rec(typeChangeCipherSpec, version12, 1, 53, 1, []byte{1}),
			rec(77, 0, 9, 54, 3, []byte("bad")),
		} {
			p := newPipe()
			client, server, w := tapped(t, gcm128, p)
			first := w.client.seal(typeApplicationData, 1<<48|60, make([]byte, 8), []byte("first"))
			last := w.client.seal(typeApplicationData, 1<<48|61, make([]byte, 8), []byte("last"))
			p.a.inject(bytes.Join([][]byte{first, bad, last, {1, 2, 3}}, nil))
			for _, want := range []string{"first", "last"} {
				wantRead(t, server, want)
			}
			if drops := server.Stats().Received.Drops; drops.Dropped() != 2 || drops[record.DropTruncated] < 1 {
				t.Errorf("drops %v", drops.ByName())
			}
			exchange(t, client, server)
		}
	})
}

func wantRead(t testing.TB, c *Conn, want string) {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(long)))
	buffer := make([]byte, 100)
	n, err := c.Read(buffer)
	if err != nil || string(buffer[:n]) != want {
		t.Fatalf("read %q, %v, want %q", buffer[:n], err, want)
	}
}

// TestAnyExplicitNonceIsOpened: what a peer puts there is its own affair.
func TestAnyExplicitNonceIsOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		_, server, w := tapped(t, gcm128, p)
		for i, explicit := range []uint64{0, 1<<64 - 1, 0x0123456789abcdef, 1<<48 | 99, 7} {
			payload := fmt.Sprint("payload ", i)
			p.a.inject(w.client.seal(typeApplicationData, 1<<48|uint64(20+i), binary.BigEndian.AppendUint64(nil, explicit), []byte(payload)))
			wantRead(t, server, payload)
		}
	})
}

func TestReplayedRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		_, server, w := tapped(t, gcm128, p)
		send := func(sequence uint64) {
			p.a.inject(w.client.seal(typeApplicationData, 1<<48|sequence, make([]byte, 8), []byte("once")))
		}
		for _, sequence := range []uint64{103, 105, 104} {
			send(sequence)
			wantRead(t, server, "once")
		}
		send(104)
		wantDrops(t, server, record.DropReplayed, 1)
		send(105 - 63)
		wantRead(t, server, "once")
		send(105 - 64)
		if !comes(func() bool { return server.Stats().Received.Drops[record.DropTooOld] == 1 }) {
			t.Error("a number below the window was accepted")
		}
	})
}

// TestWindowOfTheConfig: pion's Config says how far the window reaches.
func TestWindowOfTheConfig(t *testing.T) {
	for numbers, want := range map[int]int{-3: 64, 1000: 1024} {
		cc, sc := configs(t, gcm128)
		sc.ReplayProtectionWindow = numbers
		_, server := oursWith(t, newPipe(), cc, sc)
		if got := server.session.in.receiver.Window(); got != want {
			t.Errorf("window for %d remembers %d, want %d", numbers, got, want)
		}
	}
	_, sc := configs(t, gcm128)
	sc.ReplayProtectionWindow = 8193
	_, err := newPlan(sc, newEngine(t))
	wantErr(t, err, ErrConfig)
}

func TestWindowOfAnInbound(t *testing.T) {
	e, k := newEngine(t), randomKeys(t, gcm128)
	for numbers, want := range map[int]int{0: 64, 1: 32, 33: 64, 65: 128, 8192: 8192} {
		in, err := NewInbound(e, k, numbers)
		if err != nil || in.receiver.Window() != want {
			t.Errorf("window for %d: %v, want one of %d", numbers, err, want)
		}
	}
	for _, numbers := range []int{-1, 8193, 9000} {
		_, err := NewInbound(e, k, numbers)
		wantErr(t, err, ErrConfig)
	}
}

// TestAuthenticControlRecords has what only the peer itself can send.
func TestAuthenticControlRecords(t *testing.T) {
	for _, test := range []struct {
		name  string
		kind  byte
		body  []byte
		cause record.Drop
	}{
		{"warning", typeAlert, []byte{alertWarning, 90}, record.DropNone},
		{"alert of 1 byte", typeAlert, []byte{2}, record.DropMalformed},
		{"alert of 3 bytes", typeAlert, []byte{2, 40, 0}, record.DropMalformed},
		{"renegotiation", typeHandshake, append([]byte{messageClientHello}, make([]byte, 60)...), record.DropType},
		{"long handshake message", typeHandshake, append([]byte{messageFinished}, make([]byte, 600)...), record.DropType},
		{"empty handshake record", typeHandshake, nil, record.DropType},
		{"Finished again", typeHandshake, append([]byte{messageFinished}, make([]byte, 23)...), record.DropNone},
	} {
		t.Run(test.name, bubble(func(t *testing.T) {
			p := newPipe()
			client, server, w := tapped(t, gcm128, p)
			p.a.inject(w.client.seal(test.kind, 1<<48|40, make([]byte, 8), test.body))
			if test.cause != record.DropNone {
				wantDrops(t, server, test.cause, 1)
			}
			exchange(t, client, server)
		}))
	}
}

// TestFinishedFloodIsBounded: pion keeps what it is given.
func TestFinishedFloodIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		_, server, w := tapped(t, gcm128, p)
		last := uint64(2 * lateFlights)
		for i := range last {
			p.a.inject(w.client.seal(typeHandshake, 1<<48|(40+i), make([]byte, 8), append([]byte{messageFinished}, make([]byte, 23)...)))
		}
		p.a.inject(w.client.seal(typeApplicationData, 1<<48|(40+last), make([]byte, 8), []byte("after")))
		wantRead(t, server, "after")
		if drops := server.Stats().Received.Drops; drops[record.DropType] < lateFlights {
			t.Errorf("drops %v", drops.ByName())
		}
	})
}

// TestRubbishDuringTheHandshake puts into every flight what a stranger can send. The
// handshake succeeds all the same.
func TestRubbishDuringTheHandshake(t *testing.T) {
	rubbish := [][]byte{
		rec(99, version12, 0, 1000, 4, []byte("junk")),
		rec(typeAlert, version12, 0, 1001, 1, []byte{2}),
		rec(typeAlert, version12, 0, 1002, 3, []byte{2, 40, 0}),
		rec(typeAlert, 0x0303, 0, 1003, 2, []byte{2, 40}),
		rec(typeChangeCipherSpec, version12, 1, 1004, 1, []byte{1}),
		rec(typeChangeCipherSpec, version12, 0, 1005, 2, []byte{1, 1}),
		rec(typeApplicationData, version12, 0, 1006, 4, []byte("data")),
		rec(typeApplicationData, version12, 1, 1007, 40, make([]byte, 40)),
		rec(typeApplicationData, version12, 7, 1008, 40, make([]byte, 40)),
		rec(typeHandshake, version12, 0, 1009, 0, nil),
		rec(typeHandshake, version12, 0, 1010, 900, make([]byte, 9)),
		rec(typeHandshake, version12, 0, 1011, 5, []byte("short")),
		rec(typeHandshake, version12, 1, 1012, 40, make([]byte, 40)),
		{1}, {},
	}
	with := func(d []byte) [][]byte { return append(append([][]byte(nil), rubbish...), d) }
	e := newEngine(t)
	s, err := suiteOf(gcm128)
	must(t, err)
	for name, pair := range pairings(e, s) {
		t.Run(name, func(t *testing.T) {
			client, server := filter(with), filter(with)
			if name == "our client and pion" {
				client = nil // pion itself does not bear it
			} else if name == "pion and our server" {
				server = nil
			}
			shaken(t, pair, gcm128, client, server)
		})
	}
}
