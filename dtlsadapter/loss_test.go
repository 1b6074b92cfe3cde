package dtlsadapter

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/dtls/v2"
)

// shaken connects over a pipe that mistreats datagrams, and then wants data both ways.
func shaken(t *testing.T, pair [2]maker, id dtls.CipherSuiteID, client, server filter) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		p.a.setFilter(client)
		p.b.setFilter(server)
		cc, sc := configs(t, id)
		cc.FlightInterval, sc.FlightInterval = 30*time.Millisecond, 30*time.Millisecond
		c, s := connect(t, p, pair[0], pair[1], cc, sc)
		p.a.setFilter(nil)
		p.b.setFilter(nil)
		eventually(t, c, s)
		eventually(t, s, c)
	})
}

// eventually sends until something arrives: a side may have finished before the other
// has, which repeats a flight then.
func eventually(t *testing.T, from, to peerConn) {
	t.Helper()
	buffer := make([]byte, 100)
	defer func() { must(t, to.SetReadDeadline(time.Time{})) }()
	for range 100 {
		_, err := from.Write([]byte("data"))
		must(t, err)
		must(t, to.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		if n, err := to.Read(buffer); err == nil && string(buffer[:n]) == "data" {
			return
		}
	}
	t.Fatal("nothing arrived")
}

// nth loses one datagram.
func nth(lost int) filter {
	seen := 0
	return func(d []byte) [][]byte {
		seen++
		if seen-1 == lost {
			return nil
		}
		return [][]byte{d}
	}
}

func twice(d []byte) [][]byte { return [][]byte{d, d} }

// swapped delivers datagrams in pairs, the later one first. A lone one waits for the
// repetition of its flight.
func swapped() filter {
	var held []byte
	return func(d []byte) [][]byte {
		if held == nil {
			held = append([]byte(nil), d...)
			return nil
		}
		pair := [][]byte{append([]byte(nil), d...), held}
		held = nil
		return pair
	}
}

func lossy(seed uint64, percent int) filter {
	r := rand.New(rand.NewPCG(seed, 1))
	return func(d []byte) [][]byte {
		switch n := r.IntN(100); {
		case n < percent:
			return nil
		case n < percent+10:
			return [][]byte{d, d}
		}
		return [][]byte{d}
	}
}

func TestEachDatagramLostOnce(t *testing.T) {
	e := newEngine(t)
	for _, id := range []dtls.CipherSuiteID{gcm128, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256} {
		s, err := suiteOf(id)
		must(t, err)
		for name, pair := range pairings(e, s) {
			for lost := range 5 {
				t.Run(fmt.Sprintf("%s/%s/%d", SuiteName(id), name, lost), func(t *testing.T) {
					t.Parallel()
					shaken(t, pair, id, nth(lost), nil)
					shaken(t, pair, id, nil, nth(lost))
				})
			}
		}
	}
}

// TestFinishedLost loses the last flight of either side several times.
func TestFinishedLost(t *testing.T) {
	e := newEngine(t)
	s, err := suiteOf(gcm128)
	must(t, err)
	for name, pair := range pairings(e, s) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shaken(t, pair, gcm128, dropFirst(3, hasFinished), nil)
			shaken(t, pair, gcm128, nil, dropFirst(3, hasFinished))
		})
	}
}

func TestEachDatagramTwice(t *testing.T) {
	e := newEngine(t)
	s, err := suiteOf(gcm128)
	must(t, err)
	for _, pair := range pairings(e, s) {
		shaken(t, pair, gcm128, twice, twice)
	}
}

func TestDatagramsInAnotherOrder(t *testing.T) {
	e := newEngine(t)
	s, err := suiteOf(gcm128)
	must(t, err)
	for _, pair := range pairings(e, s) {
		shaken(t, pair, gcm128, swapped(), nil)
		shaken(t, pair, gcm128, nil, swapped())
	}
}

func TestRandomLoss(t *testing.T) {
	e := newEngine(t)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			shaken(t, [2]maker{ourClient(e), ourServer(e)}, gcm128, lossy(seed, 20), lossy(seed+100, 20))
		})
	}
}
