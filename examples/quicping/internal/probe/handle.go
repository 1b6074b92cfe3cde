package probe

import (
	"bytes"
	"time"

	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
)

// frame handles one frame of a packet.
func (s *session) frame(f *frame.Frame, p *quicadapter.Packet, now time.Time) error {
	switch {
	case f.Type.IsStream():
		return s.streamFrame(f, f.Offset+uint64(len(f.Data)))
	case f.Type == frame.Ack || f.Type == frame.AckECN:
		return s.ack(f, p, now)
	case f.Type == frame.Crypto:
		return s.crypto(f, p.Type)
	case f.Type == frame.ConnectionClose || f.Type == frame.ApplicationClose:
		return &RefusalError{f.Code, f.Type == frame.ApplicationClose, string(f.Data)}
	}
	return s.rareFrame(f)
}

func (s *session) rareFrame(f *frame.Frame) error {
	switch f.Type {
	case frame.HandshakeDone:
		s.onConfirmed()
	case frame.PathChallenge:
		s.pathData = bytes.Clone(f.Data)
	case frame.PathResponse:
		return violated(protocolViolation, f.Type, "a response to no challenge")
	case frame.NewConnectionID:
		return s.ids.add(f)
	case frame.RetireConnectionID:
		return violated(protocolViolation, f.Type, "our only connection ID is retired")
	case frame.ResetStream:
		return s.streamFrame(f, f.Value)
	case frame.StreamDataBlocked:
		return s.streamFrame(f, 0)
	case frame.StopSending, frame.MaxStreamData:
		return violated(streamStateError, f.Type, "%v for a stream that we did not open", f.Type)
	case frame.Datagram, frame.Datagram + 1:
		return violated(protocolViolation, f.Type, "DATAGRAM was not offered")
	}
	return nil
}

// onConfirmed takes HANDSHAKE_DONE in (RFC 9001 section 4.1.2).
func (s *session) onConfirmed() {
	if s.confirmed {
		return
	}
	s.confirmed, s.validated = true, true
	s.conn.Confirm()
	s.conn.Discard(quicadapter.Initial)
	s.forgetSpace(initialSpace)
	s.forgetSpace(handshakeSpace)
}

// forgetSpace drops what is out in a space whose keys are gone.
func (s *session) forgetSpace(at int) { s.spaces[at] = space{} }

// streamFrame holds the server to what we allowed: the first few of its unidirectional
// streams, and so many bytes on each. What they carry is not looked at.
func (s *session) streamFrame(f *frame.Frame, end uint64) error {
	const serverUni = 3
	switch {
	case f.ID&3 != serverUni && f.ID&1 == 0:
		return violated(streamStateError, f.Type, "stream %d, which we did not open", f.ID)
	case f.ID&3 != serverUni || f.ID>>2 >= streams:
		return violated(streamLimitError, f.Type, "stream %d is one too many", f.ID)
	case end > streamData:
		return violated(flowControlError, f.Type, "%d bytes on stream %d", end, f.ID)
	}
	return nil
}

// ack handles an ACK frame (RFC 9002 sections 5 and 6).
func (s *session) ack(f *frame.Frame, p *quicadapter.Packet, now time.Time) error {
	sp := &s.spaces[spaceOf(p.Type)]
	if err := s.conn.Acknowledged(p.Type, f.Ranges[0].High); err != nil {
		return violated(protocolViolation, f.Type, "packet %d is acknowledged, which was never sent", f.Ranges[0].High)
	}
	settled := sp.settle(f.Ranges)
	if len(settled) > 0 {
		s.measure(f, settled, now)
		s.backoff = 0
	}
	for i := range settled {
		s.window = min(maxWindow, s.window+settled[i].size)
		s.pings.answered(&settled[i], p.Phase, s.delayOf(f), now, s.cfg)
		if settled[i].phase == s.conn.Phase() {
			s.trial = false
		}
		if s.cfg.Update && settled[i].ping != noPing {
			// Key updates keep this distance (RFC 9001 section 6.5).
			s.pings.notBefore(now.Add(3 * (s.rtt.timeout() + s.params.MaxAckDelay)))
		}
	}
	s.lost(sp, now)
	return nil
}

// delayOf is how long the server says that it waited, no longer than it said it would.
func (s *session) delayOf(f *frame.Frame) time.Duration {
	if s.params == nil {
		return 0
	}
	delay := time.Duration(min(f.Delay, 1<<20)<<s.params.AckDelayExponent) * time.Microsecond
	return min(delay, s.params.MaxAckDelay)
}

// measure takes a sample where the highest number acknowledged is a new one.
func (s *session) measure(f *frame.Frame, settled []sent, now time.Time) {
	if last := settled[len(settled)-1]; last.number == f.Ranges[0].High {
		s.rtt.sample(now.Sub(last.at), s.delayOf(f))
	}
}

// lost queues again what lost packets carried.
func (s *session) lost(sp *space, now time.Time) {
	gone := sp.lose(now, s.rtt.patience())
	if len(gone) > 0 {
		s.window = max(minWindow, s.window/2)
		s.result.Resent += len(gone)
	}
	for i := range gone {
		s.requeue(sp, &gone[i])
	}
}

func (s *session) requeue(sp *space, p *sent) {
	sp.outbox.again(p.spans)
	s.ids.retiring = append(s.ids.retiring, p.retire...)
	p.spans, p.retire = nil, nil
}

// forgetFlight queues all that is out, as after a Retry.
func (s *session) forgetFlight(at int) {
	sp := &s.spaces[at]
	for i := range sp.flight {
		s.requeue(sp, &sp.flight[i])
	}
	sp.flight = nil
}
