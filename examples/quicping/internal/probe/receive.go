package probe

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// open opens a burst and handles its packets in order.
func (s *session) open(burst []record.Datagram) error {
	now := time.Now()
	packets, good := s.in.Open(burst)
	if good > 0 {
		s.bursts[0] += good
		s.bursts[1]++
	}
	for i := range packets {
		if err := s.packet(&packets[i], now); err != nil {
			return err
		}
	}
	return s.conn.Err()
}

// openHeld opens again what waited for keys that are there now.
func (s *session) openHeld() error {
	ready := func(d record.Datagram) bool {
		var h quicadapter.Header
		return h.Parse(d.Content(), idSize) == record.DropNone && s.conn.CanOpen(h.Type)
	}
	for slices.ContainsFunc(s.held, ready) {
		held := s.held
		s.held = nil
		if err := s.open(held); err != nil {
			return err
		}
	}
	return nil
}

// packet handles one packet, opened or not.
func (s *session) packet(p *quicadapter.Packet, now time.Time) error {
	switch {
	case p.Drop == record.DropEpoch && !s.complete:
		s.hold(p)
		return nil
	case p.Drop == record.DropUnauthentic || p.Drop == record.DropTruncated:
		return s.checkReset(p)
	case p.Drop != record.DropNone:
		return nil
	case p.Type == quicadapter.Retry:
		return s.retry(p)
	case p.Type == quicadapter.VersionNegotiation:
		return s.negotiate(p)
	case p.Type == quicadapter.Initial && len(p.Token) != 0:
		return nil // a server's has none (RFC 9000 section 17.2.2)
	case !s.conn.CanOpen(p.Type):
		return nil // it was opened together with what ended its keys
	case p.Type != quicadapter.OneRTT && !s.sameSource(p):
		return nil
	}
	s.heard, s.lastHeard, s.quiet = true, now, true
	return s.payload(p, now)
}

// hold keeps a copy of a packet whose keys may come.
func (s *session) hold(p *quicadapter.Packet) {
	if len(s.held) < maxHeld {
		b := bytes.Clone(p.Content())
		s.held = append(s.held, record.Datagram{Buf: b, Len: len(b)})
	}
}

// checkReset ends the connection on a stateless reset (RFC 9000 section 10.3.1).
func (s *session) checkReset(p *quicadapter.Packet) error {
	for i := range s.ids.all {
		if id := &s.ids.all[i]; id.hasToken && p.IsReset(&id.token) {
			return ErrReset
		}
	}
	return nil
}

// sameSource takes the server's connection ID from its first packet, and wants it in the
// others (RFC 9000 section 7.2).
func (s *session) sameSource(p *quicadapter.Packet) bool {
	if !s.heard {
		s.source = bytes.Clone(p.Source)
		s.ids.use(p.Source)
	}
	return bytes.Equal(p.Source, s.source)
}

// retry begins again with the server's token, once, and only as the first answer (RFC
// 9000 section 17.2.5.2).
func (s *session) retry(p *quicadapter.Packet) error {
	if s.heard || s.token != nil || bytes.Equal(p.Source, s.original) || !s.tags.Valid(s.original, p.Content()) {
		return nil
	}
	s.token = bytes.Clone(p.Token)
	s.retrySrc = bytes.Clone(p.Source)
	s.ids.use(p.Source)
	s.forgetFlight(initialSpace)
	return s.conn.InstallInitial(p.Source)
}

// negotiate ends the attempt when the server's list does not hold the version asked for
// (RFC 9000 section 6.2).
func (s *session) negotiate(p *quicadapter.Packet) error {
	if s.heard || s.token != nil || !bytes.Equal(p.Source, s.original) || p.Offers(s.version) {
		return nil
	}
	var o offer
	for list := p.Versions; len(list) >= 4 && len(o.versions) < 16; list = list[4:] {
		o.versions = append(o.versions, quicadapter.Version(binary.BigEndian.Uint32(list)))
	}
	return &o
}

// payload handles the frames of a packet, and then notes that it came.
func (s *session) payload(p *quicadapter.Packet, now time.Time) error {
	at := spaceOf(p.Type)
	rest := p.Content()
	if at < 0 {
		return nil // 0-RTT is never a server's
	}
	if len(rest) == 0 {
		return violated(protocolViolation, 0, "a packet without frames")
	}
	if p.Type == quicadapter.Handshake {
		s.validated = true // it took our Initial to make one
	}
	eliciting := false
	for len(rest) > 0 {
		f, next, err := frame.Read(rest)
		if err != nil {
			return violated(frameEncodingError, f.Type, "%v in a packet of type %v", err, p.Type)
		}
		if at != appSpace && !f.Type.EarlyAllowed() {
			return violated(protocolViolation, f.Type, "%v in a packet of type %v", f.Type, p.Type)
		}
		if err := s.frame(&f, p, now); err != nil {
			return err
		}
		eliciting = eliciting || f.Type.Eliciting()
		rest = next
	}
	s.noteReceived(&s.spaces[at], p.Number, eliciting, now)
	return nil
}

func (s *session) noteReceived(sp *space, number uint64, eliciting bool, now time.Time) {
	if len(sp.received) == 0 || number > sp.received[0].High {
		sp.highestAt = now
	}
	sp.received.add(number)
	sp.ackDue = sp.ackDue || eliciting
}

// crypto hands CRYPTO data to TLS, and looks at what the handshake has come to.
func (s *session) crypto(f *frame.Frame, t quicadapter.Type) error {
	ready, err := s.spaces[spaceOf(t)].inbox.take(f.Offset, f.Data)
	if err != nil || len(ready) == 0 {
		return err
	}
	if err := s.tls.Receive(t, ready); err != nil {
		return fmt.Errorf("handshake: %w", err)
	}
	if s.complete || !s.tls.Complete() {
		return nil
	}
	return s.onComplete(time.Now())
}

// onComplete checks the server's parameters, which are authentic now.
func (s *session) onComplete(now time.Time) error {
	params, err := frame.ReadParameters(s.tls.PeerParameters())
	if err != nil {
		return violated(parameterError, frame.Crypto, "%v", err)
	}
	if err := s.checkParameters(params); err != nil {
		return err
	}
	s.params, s.complete = params, true
	s.ids.setToken(params.ResetToken)
	s.held = nil
	s.pings.start(now)
	s.result.Session = &Session{
		Remote: s.sock.udp.RemoteAddr().String(), Version: s.version, Retried: s.token != nil,
		Handshake: now.Sub(s.started), TLS: s.tls.State(),
	}
	if s.cfg.Ready != nil {
		s.cfg.Ready(s.result.Session)
	}
	return nil
}

// checkParameters wants the connection IDs of the handshake (RFC 9000 section 7.3), and
// the version that was agreed on (RFC 9368 section 4).
func (s *session) checkParameters(p *frame.Parameters) error {
	switch {
	case p.OriginalDestination == nil || !bytes.Equal(p.OriginalDestination, s.original):
		return violated(parameterError, frame.Crypto, "original_destination_connection_id is not ours")
	case p.InitialSource == nil || !bytes.Equal(p.InitialSource, s.source):
		return violated(parameterError, frame.Crypto, "initial_source_connection_id is not the server's")
	case (p.RetrySource == nil) != (s.token == nil) || !bytes.Equal(p.RetrySource, s.retrySrc):
		return violated(parameterError, frame.Crypto, "retry_source_connection_id is not that of the Retry")
	case p.ChosenVersion != 0 && p.ChosenVersion != uint32(s.version):
		return violated(versionNegotiation, frame.Crypto, "the server chose version %#x", p.ChosenVersion)
	case s.first == s.version:
		return nil
	case p.ChosenVersion == 0 && s.version != quicadapter.Version1,
		slices.Contains(p.AvailableVersions, uint32(s.first)):
		return violated(versionNegotiation, frame.Crypto, "the Version Negotiation packet was not the server's")
	}
	return nil
}
