package dtlsadapter

import (
	"sync"
	"testing"

	"github.com/pion/dtls/v2"
)

// sessions is a SessionStore.
type sessions struct {
	mu   sync.Mutex
	held map[string]dtls.Session
	hits int
}

func (s *sessions) Set(key []byte, session dtls.Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string]dtls.Session{}
	}
	s.held[string(key)] = session
	return nil
}

func (s *sessions) Get(key []byte) (dtls.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.held[string(key)]
	if ok {
		s.hits++
	}
	return found, nil
}

func (s *sessions) Del(key []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.held, string(key))
	return nil
}

// TestResumption: the secret of an earlier handshake, with new randoms.
func TestResumption(t *testing.T) {
	e := newEngine(t)
	for _, id := range []dtls.CipherSuiteID{
		dtls.TLS_PSK_WITH_AES_128_GCM_SHA256, dtls.TLS_PSK_WITH_AES_128_CCM, TLS_PSK_WITH_CHACHA20_POLY1305_SHA256,
	} {
		s, err := suiteOf(id)
		must(t, err)
		for name, pair := range pairings(e, s) {
			t.Run(s.name+"/"+name, bubble(func(t *testing.T) {
				cc, sc := configs(t, id)
				clients, servers := new(sessions), new(sessions)
				cc.SessionStore, sc.SessionStore = clients, servers
				for round := range 3 {
					p := newPipe()
					p.a.keep, p.b.keep = true, true
					c, srv := connect(t, p, pair[0], pair[1], cc, sc)
					exchange(t, c, srv)
					if clients.hits != round || servers.hits != round {
						t.Errorf("round %d: %d and %d sessions were found", round, clients.hits, servers.hits)
					}
					for _, end := range []*pipeEnd{p.a, p.b} {
						checkOwnNonces(t, end, c, srv)
					}
				}
			}))
		}
	}
}

// checkOwnNonces looks at the explicit nonces of the sides that are ours.
func checkOwnNonces(t *testing.T, end *pipeEnd, client, server peerConn) {
	t.Helper()
	side := client
	if end.name == "b" {
		side = server
	}
	c, ok := side.(*Conn)
	if !ok || c.session.suite.explicitSize() == 0 {
		return
	}
	for _, sent := range recordsOf(end) {
		if h := parseHeader(sent); h.epoch() == 1 && string(sent[13:21]) != string(sent[3:11]) {
			t.Errorf("record %x has nonce %x", sent[3:11], sent[13:21])
		}
	}
}
