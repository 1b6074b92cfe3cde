package probe

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// collect takes what TLS has to say.
func (s *session) collect() {
	for i, t := range spaceTypes {
		s.spaces[i].outbox.write(s.tls.Take(t))
	}
}

// flush sends datagrams until nothing is left to say, or the window is full.
func (s *session) flush() error {
	for {
		datagram, err := s.datagram(time.Now())
		if err != nil || len(datagram) == 0 {
			return err
		}
		if err := s.write(datagram); err != nil {
			return err
		}
	}
}

// write sends a datagram. What the network refuses is as good as lost, once the server was
// heard; before, there is nobody to wait for.
func (s *session) write(datagram []byte) error {
	_, err := s.sock.udp.Write(datagram)
	var op *net.OpError
	switch {
	case !errors.As(err, &op) || errors.Is(err, net.ErrClosed):
		return err
	case !s.heard:
		return fmt.Errorf("%w from %s: %w", ErrNoAnswer, s.sock.udp.RemoteAddr(), op.Err)
	}
	return nil
}

// datagram builds the next one: a packet of each space that has something to say. One
// with an Initial is padded to the full size (RFC 9000 section 14.1).
func (s *session) datagram(now time.Time) ([]byte, error) {
	var out []byte
	padded := false
	for i, t := range spaceTypes {
		if !s.conn.CanSeal(t) || t == quicadapter.OneRTT && !s.complete {
			continue
		}
		room := datagramSize - len(out) - quicadapter.MaxLongOverhead - len(s.token) - quicadapter.MinTailroom
		payload, p := s.compose(i, room)
		if len(payload) == 0 {
			continue
		}
		padded = padded || t == quicadapter.Initial
		size := 0
		if padded && s.last(i) {
			size = datagramSize - len(out)
		}
		packet, err := s.seal(t, payload, size)
		if err != nil {
			return nil, err
		}
		out = append(out, packet.Content()...)
		s.noteSent(i, packet, p, now)
	}
	if padded && len(out) < datagramSize {
		return s.pad(out, now)
	}
	return out, nil
}

// last reports that no later space has anything to say.
func (s *session) last(at int) bool {
	for i := at + 1; i < numSpaces; i++ {
		if t := spaceTypes[i]; s.conn.CanSeal(t) && (t != quicadapter.OneRTT || s.complete) && s.wants(i) {
			return false
		}
	}
	return true
}

// pad fills a datagram up with one more packet, of padding, where the one that should have
// done it could not be composed after all.
func (s *session) pad(out []byte, now time.Time) ([]byte, error) {
	at, rest := s.keySpace(), datagramSize-len(out)
	if rest < quicadapter.MaxLongOverhead+len(s.token)+quicadapter.MinTailroom {
		return append(out, make([]byte, rest)...), nil
	}
	packet, err := s.seal(spaceTypes[at], []byte{byte(frame.Padding)}, rest)
	if err != nil {
		return nil, err
	}
	s.noteSent(at, packet, sent{ping: noPing}, now)
	return append(out, packet.Content()...), nil
}

// wants reports that a space has something to say.
func (s *session) wants(at int) bool {
	sp := &s.spaces[at]
	if sp.ackDue || sp.probes > 0 {
		return true
	}
	if s.inFlight() >= s.window {
		return false
	}
	return len(sp.outbox.queue) > 0 || at == appSpace && s.wantsApp()
}

func (s *session) wantsApp() bool {
	return len(s.ids.retiring) > 0 || s.pathData != nil || s.pingDue(time.Now())
}

func (s *session) inFlight() (bytes int) {
	for i := range s.spaces {
		for _, p := range s.spaces[i].flight {
			bytes += p.size
		}
	}
	return bytes
}

// compose writes the frames of the next packet of a space, none if there is nothing to
// say, and notes what must arrive.
func (s *session) compose(at, room int) (payload []byte, p sent) {
	sp := &s.spaces[at]
	p.ping = noPing
	if !s.wants(at) || room < 300 {
		return nil, p
	}
	free := s.inFlight() < s.window || sp.probes > 0
	if sp.ackDue {
		delay := time.Since(sp.highestAt).Microseconds() >> 3
		payload = frame.AppendAck(payload, uint64(max(delay, 0)), sp.received)
		sp.ackDue = false
	}
	if free && at == appSpace {
		payload = s.composeApp(payload, &p)
	}
	for free && len(sp.outbox.queue) > 0 && room-len(payload) > 64 {
		var one span
		payload, one = sp.outbox.append(payload, room-len(payload))
		p.spans = append(p.spans, one)
	}
	if sp.probes > 0 {
		sp.probes--
		if !p.eliciting() {
			payload = append(payload, byte(frame.Ping))
			p.probe = true
		}
	}
	return payload, p
}

// composeApp writes what only 1-RTT packets carry.
func (s *session) composeApp(payload []byte, p *sent) []byte {
	for len(s.ids.retiring) > 0 && len(p.retire) < 16 {
		p.retire = append(p.retire, s.ids.retiring[0])
		payload = frame.AppendRetire(payload, s.ids.retiring[0])
		s.ids.retiring = s.ids.retiring[1:]
	}
	if s.pathData != nil {
		payload = frame.AppendPathResponse(payload, s.pathData)
		s.pathData, p.probe = nil, true
	}
	if now := time.Now(); s.pingDue(now) {
		payload = append(payload, byte(frame.Ping))
		if s.update() {
			p.probe = true
		} else {
			p.ping = s.pings.send(now)
		}
	}
	return payload
}

func (s *session) pingDue(now time.Time) bool {
	return s.ready() && !s.trial && s.pings.due(now)
}

// update begins a key update where one is wanted before the next ping, and reports that it
// did. A PING that is not counted tries the new phase out: a server that is not ready for
// it discards its packets (RFC 9001 section 6.5), and those are sent until one is answered.
func (s *session) update() bool {
	if !s.cfg.Update || s.updated >= s.pings.sent {
		return false
	}
	s.updated++ // one that is refused is not tried again
	s.trial = s.conn.Update() == nil
	return s.trial
}

// eliciting reports that the packet must be acknowledged.
func (p *sent) eliciting() bool {
	return len(p.spans)+len(p.retire) > 0 || p.ping != noPing || p.probe
}

// seal protects a payload in a new buffer.
func (s *session) seal(t quicadapter.Type, payload []byte, size int) (*quicadapter.Packet, error) {
	front := quicadapter.MaxLongOverhead + len(s.token)
	back := max(quicadapter.MinTailroom, size-len(payload))
	buf := make([]byte, front+len(payload)+back)
	copy(buf[front:], payload)
	burst := [1]quicadapter.Packet{{
		Datagram: record.Datagram{Buf: buf, Off: front, Len: len(payload)}, Conn: s.conn, MinSize: size,
		Header: quicadapter.Header{Type: t, Destination: s.ids.current()},
	}}
	p := &burst[0]
	if t != quicadapter.OneRTT {
		p.Source = s.ours
	}
	if t == quicadapter.Initial {
		p.Token = s.token
	}
	if s.out.Seal(burst[:]) != 1 {
		return nil, fmt.Errorf("cannot seal a packet of type %v: %v", t, p.Drop)
	}
	return p, nil
}

// noteSent notes a packet that goes out now.
func (s *session) noteSent(at int, packet *quicadapter.Packet, p sent, now time.Time) {
	p.number, p.at, p.size, p.phase = packet.Number, now, packet.Len, packet.Phase
	sp := &s.spaces[at]
	if p.eliciting() {
		sp.flight = append(sp.flight, p)
		sp.lastOut = now
		if s.quiet {
			s.lastHeard, s.quiet = now, false // RFC 9000 section 10.1
		}
	}
	if p.ping != noPing {
		s.pings.number(p.ping, packet.Number, packet.Phase)
	}
	if at == handshakeSpace { // RFC 9001 section 4.9.1
		s.conn.Discard(quicadapter.Initial)
		s.forgetSpace(initialSpace)
	}
}

// sayGoodbye sends CONNECTION_CLOSE in every type that the server may be able to read
// (RFC 9000 section 10.2.3). Whether it arrives is not waited for.
func (s *session) sayGoodbye(err error) {
	c, at, tell := closeCode(err)
	if !tell || err != nil && !s.heard {
		return
	}
	payload := frame.AppendClose(nil, uint64(c), at, "")
	var out bytes.Buffer
	for _, t := range spaceTypes {
		if !s.conn.CanSeal(t) {
			continue
		}
		size := 0
		if t == quicadapter.Initial && !s.conn.CanSeal(quicadapter.Handshake) {
			size = datagramSize
		}
		packet, err := s.seal(t, payload, size)
		if err != nil {
			return
		}
		out.Write(packet.Content())
	}
	_ = s.write(out.Bytes())
}
