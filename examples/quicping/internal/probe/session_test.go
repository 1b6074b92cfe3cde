package probe

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// offline is a session that nobody answers.
func offline(t *testing.T) *session {
	t.Helper()
	_, client := tlsPair(t)
	cfg := quick(t, listen(t).LocalAddr().String(), client)
	cfg.Handshake = time.Hour
	s, err := newSession(&cfg, quicadapter.Version1, quicadapter.Version1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	s.started, s.lastHeard = time.Now(), time.Now()
	return s
}

func TestIdleTimeout(t *testing.T) {
	t.Parallel()
	s := offline(t)
	now := time.Now()
	if err := s.onTime(now.Add(ourIdle - time.Second)); err != nil {
		t.Errorf("too early: %v", err)
	}
	if err := s.onTime(now.Add(ourIdle + time.Second)); !errors.Is(err, ErrIdle) {
		t.Errorf("%v", err)
	}
}

// What is sent first after a packet came puts the idle timeout off, what follows does not
// (RFC 9000 section 10.1).
func TestSendingPutsIdleTimeoutOffOnce(t *testing.T) {
	t.Parallel()
	s := offline(t)
	first, second := time.Unix(1000, 0), time.Unix(1010, 0)
	s.quiet = true
	for _, at := range []time.Time{first, second} {
		s.noteSent(initialSpace, &quicadapter.Packet{}, sent{ping: noPing, probe: true}, at)
		if !s.lastHeard.Equal(first) {
			t.Errorf("put off to %v", s.lastHeard)
		}
	}
}

// With nothing in flight the server is probed until it has seen a Handshake packet (RFC
// 9002 section 6.2.2.1).
func TestServerIsProbedUntilItKnowsOurAddress(t *testing.T) {
	t.Parallel()
	s := offline(t)
	if at := s.lossTimer(); !at.Equal(s.started.Add(3 * initialRTT)) {
		t.Errorf("the timer ends at %v", at.Sub(s.started))
	}
	s.onLossTimer(s.started.Add(3 * initialRTT))
	if s.spaces[initialSpace].probes != 1 || s.backoff != 1 {
		t.Errorf("%d probes, backoff %d", s.spaces[initialSpace].probes, s.backoff)
	}
	datagram, err := s.datagram(time.Now())
	if err != nil || len(datagram) != datagramSize {
		t.Errorf("a probe of %d bytes, %v", len(datagram), err)
	}
	s.spaces[initialSpace].flight = nil
	s.validated = true
	if at := s.lossTimer(); !at.IsZero() {
		t.Errorf("the timer runs on until %v", at)
	}
}

// A packet that was opened in one burst with the one that ended its keys starts nothing anew.
func TestPacketOfASpaceThatIsGone(t *testing.T) {
	t.Parallel()
	s := offline(t)
	if err := s.tls.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.conn.Discard(quicadapter.Initial)
	s.forgetSpace(initialSpace)
	again := frame.AppendCrypto(nil, 0, make([]byte, 1))
	p := quicadapter.Packet{Header: quicadapter.Header{Type: quicadapter.Initial}, Datagram: record.Datagram{Buf: again, Len: len(again)}}
	if err := s.packet(&p, time.Now()); err != nil || s.heard || s.spaces[initialSpace].inbox.delivered != 0 {
		t.Errorf("%v; %d bytes for TLS", err, s.spaces[initialSpace].inbox.delivered)
	}
}

// A forged Retry comes first, and the handshake completes without it.
func TestForgedRetryIsIgnored(t *testing.T) {
	t.Parallel()
	server, client := tlsPair(t)
	tags, err := quicadapter.NewRetryTags(newEngine(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tags.Close)
	for name, forge := range map[string]func(h *quicadapter.Header) []byte{
		"wrong tag": func(h *quicadapter.Header) []byte {
			b, _ := tags.Append(nil, h.Version, h.Destination, h.Source, evilID, []byte("token"))
			b[len(b)-1] ^= 1
			return b
		},
		"for another Initial": func(h *quicadapter.Header) []byte {
			b, _ := tags.Append(nil, h.Version, evilID, h.Source, evilID, []byte("token"))
			return b
		},
		"from the ID that it answers": func(h *quicadapter.Header) []byte {
			b, _ := tags.Append(nil, h.Version, h.Destination, h.Source, h.Destination, []byte("token"))
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := serveQuicGo(t, server, false, quic.Version1)
			front := listen(t)
			var seen atomic.Int32
			go relay(front, address(t, target), func(wire []byte) []byte {
				var h quicadapter.Header
				if h.Parse(wire, idSize); h.Type == quicadapter.Initial && seen.Add(1) <= 2 {
					return forge(&h)
				}
				return nil
			})
			if s := answered(t, quick(t, front.LocalAddr().String(), client)).Session; s.Retried {
				t.Error("the forged Retry was taken up")
			}
		})
	}
}
