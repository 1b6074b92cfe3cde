package offline

import (
	"fmt"
	"net/netip"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/udpip"
	"github.com/sealburst/sealburst/record/replay"
)

// path is the two ends of a conversation, the lower address first.
type path struct{ low, high netip.AddrPort }

// sessions are the DTLS sessions of a capture.
type sessions struct {
	engine  *engine.Engine
	secrets Secrets
	all     map[path]*session
	suite   string // of the last one whose keys were found
}

// session gathers what a conversation's keys depend on.
type session struct {
	owner        *sessions
	client       netip.AddrPort
	clientRandom [randomSize]byte
	serverRandom [randomSize]byte
	opens        [2]*dtlsadapter.Inbound // what that side sends
}

// of finds the session that a datagram belongs to, or makes it.
func (s *sessions) of(d *udpip.Datagram) *session {
	p := path{d.From, d.To}
	if d.To.Compare(d.From) < 0 {
		p = path{d.To, d.From}
	}
	found := s.all[p]
	if found == nil {
		found = &session{owner: s}
		s.all[p] = found
	}
	return found
}

// opener opens what the sender of d sends; nil as long as the keys are not known.
func (s *session) opener(d *udpip.Datagram) *dtlsadapter.Inbound {
	if d.From == s.client {
		return s.opens[clientSide]
	}
	return s.opens[serverSide]
}

// note looks at a record of the handshake. A ClientHello begins a session anew.
func (s *session) note(rec []byte, d *udpip.Datagram) error {
	h, ok := parseHello(rec)
	switch {
	case !ok:
		return nil
	case h.kind == clientHello && (s.client != d.From || s.clientRandom != h.random):
		s.close()
		s.client, s.clientRandom, s.serverRandom = d.From, h.random, [randomSize]byte{}
	case h.kind == serverHello && d.To == s.client && s.serverRandom != h.random:
		s.serverRandom = h.random
		return s.derive(&h)
	}
	return nil
}

// derive makes the openers, if the key log has the session's secret.
func (s *session) derive(h *hello) error {
	master, ok := s.owner.secrets[s.clientRandom]
	if !ok {
		return nil
	}
	s.close()
	client, server, err := dtlsadapter.DeriveKeys(h.suite, master[:], s.clientRandom[:], s.serverRandom[:])
	defer client.Erase()
	defer server.Erase()
	if err != nil {
		return fmt.Errorf("session of %v: %w", s.client, err)
	}
	for from, keys := range map[side]*dtlsadapter.Keys{clientSide: &client, serverSide: &server} {
		s.opens[from], err = dtlsadapter.NewInbound(s.owner.engine, *keys, replay.MaxSize)
		if err != nil {
			return err
		}
	}
	s.owner.suite = dtlsadapter.SuiteName(h.suite)
	return nil
}

func (s *session) close() {
	for i, opener := range s.opens {
		if opener != nil {
			opener.Close()
			s.opens[i] = nil
		}
	}
}

func (s *sessions) close() {
	for _, one := range s.all {
		one.close()
	}
}
