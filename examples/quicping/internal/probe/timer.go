package probe

import (
	"time"

	"github.com/sealburst/sealburst/quicadapter"
)

// lossTimer is when a packet must be taken for lost, or else when the server must be
// probed; zero for never (RFC 9002 section 6.2, appendix A.8).
func (s *session) lossTimer() (at time.Time) {
	for i := range s.spaces {
		at = earlier(at, s.spaces[i].lossAt)
	}
	if !at.IsZero() {
		return at
	}
	for i := range s.spaces {
		at = earlier(at, s.probeAt(i))
	}
	return at
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// probeAt is when the probe timeout of a space ends. While the server may not have our
// address validated, the timer runs with nothing in flight, so that a server which may
// send no more gets something to answer (RFC 9002 section 6.2.2.1).
func (s *session) probeAt(at int) time.Time {
	sp := &s.spaces[at]
	deadlock := !s.validated && at == s.keySpace()
	if len(sp.flight) == 0 && !deadlock || at == appSpace && !s.complete {
		return time.Time{}
	}
	from := sp.lastOut
	if from.IsZero() {
		from = s.started
	}
	wait := s.rtt.timeout()
	if at == appSpace {
		wait += s.params.MaxAckDelay
	}
	return from.Add(wait << min(s.backoff, maxBackoff))
}

// keySpace is the space in which the server can be probed before it knows us.
func (s *session) keySpace() int {
	if s.conn.CanSeal(quicadapter.Handshake) {
		return handshakeSpace
	}
	return initialSpace
}

// onLossTimer declares losses, or sends probes: what waits longest once more, or a PING.
func (s *session) onLossTimer(now time.Time) {
	at := s.lossTimer()
	if at.IsZero() || at.After(now) {
		return
	}
	for i := range s.spaces {
		if sp := &s.spaces[i]; !sp.lossAt.IsZero() {
			s.lost(sp, now)
			at = time.Time{}
		}
	}
	if at.IsZero() {
		return
	}
	for i := range s.spaces {
		if due := s.probeAt(i); !due.IsZero() && !due.After(now) {
			s.probe(&s.spaces[i])
		}
	}
	s.backoff++
}

func (s *session) probe(sp *space) {
	sp.probes = 1
	for i := range sp.flight {
		if p := &sp.flight[i]; len(p.spans)+len(p.retire) > 0 {
			s.requeue(sp, p)
			return
		}
	}
}
