package probe

import (
	"time"

	"github.com/sealburst/sealburst/examples/quicping/frame"
)

// The constants of RFC 9002 sections 6.1, 6.2.2 and 7.
const (
	packetThreshold = 3
	initialRTT      = 333 * time.Millisecond
	granularity     = time.Millisecond
	maxWindow       = 10 * datagramSize // the initial window, which is never outgrown here
	minWindow       = 2 * datagramSize
	maxBackoff      = 10
)

// rtt estimates the round trip (RFC 9002 section 5).
type rtt struct {
	latest, least, smoothed, variation time.Duration
}

// sample takes a measurement in; delay is what the server says it waited.
func (r *rtt) sample(latest, delay time.Duration) {
	r.latest = latest
	if r.smoothed == 0 {
		r.least, r.smoothed, r.variation = latest, latest, latest/2
		return
	}
	r.least = min(r.least, latest)
	adjusted := latest
	if latest >= r.least+delay {
		adjusted -= delay
	}
	r.variation = (3*r.variation + (r.smoothed - adjusted).Abs()) / 4
	r.smoothed = (7*r.smoothed + adjusted) / 8
}

// timeout is the probe timeout without the server's delay (RFC 9002 section 6.2.1).
func (r *rtt) timeout() time.Duration {
	if r.smoothed == 0 {
		return 3 * initialRTT
	}
	return r.smoothed + max(4*r.variation, granularity)
}

// patience is how long a packet may stay out when a later one is acknowledged (RFC 9002
// section 6.1.2).
func (r *rtt) patience() time.Duration {
	return max(9*max(r.smoothed, r.latest)/8, granularity)
}

// sent is an ack-eliciting packet in flight, and what it carries that must arrive.
type sent struct {
	number uint64
	at     time.Time
	size   int
	phase  uint64
	spans  []span
	retire []uint64
	ping   int  // its sequence, or noPing
	probe  bool // it carries something else that must be acknowledged
}

const noPing = -1

// space is a packet number space as far as acknowledgement and loss go.
type space struct {
	inbox  inbox
	outbox outbox

	received  ranges
	ackDue    bool
	highestAt time.Time // when the highest number came

	flight  []sent // in the order of numbers
	acked   uint64 // highest acknowledged
	anAck   bool   // acked is one
	lossAt  time.Time
	lastOut time.Time // the last ack-eliciting packet
	probes  int       // PINGs that the probe timeout asks for
}

// settle takes the packets out of flight that the ranges acknowledge.
func (s *space) settle(acked []frame.Range) (settled []sent) {
	left := s.flight[:0]
	for _, p := range s.flight {
		if contains(acked, p.number) {
			settled = append(settled, p)
		} else {
			left = append(left, p)
		}
	}
	s.flight = left
	if !s.anAck || acked[0].High > s.acked {
		s.acked, s.anAck = acked[0].High, true
	}
	return settled
}

func contains(ranges []frame.Range, n uint64) bool {
	for _, r := range ranges {
		if n >= r.Low {
			return n <= r.High
		}
	}
	return false
}

// lose takes the packets out of flight that must be taken for lost (RFC 9002 section
// 6.1), and sets the time when the next would be.
func (s *space) lose(now time.Time, patience time.Duration) (lost []sent) {
	s.lossAt = time.Time{}
	left := s.flight[:0]
	for _, p := range s.flight {
		due := p.at.Add(patience)
		switch {
		case !s.anAck || p.number > s.acked:
			left = append(left, p)
		case p.number+packetThreshold <= s.acked || !due.After(now):
			lost = append(lost, p)
		default:
			left = append(left, p)
			if s.lossAt.IsZero() || due.Before(s.lossAt) {
				s.lossAt = due
			}
		}
	}
	s.flight = left
	return lost
}
