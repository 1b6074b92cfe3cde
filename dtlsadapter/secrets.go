package dtlsadapter

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record/keysched"
)

// errNoKeys fails pion's write, and with it the handshake, when no secret and no
// pair of hellos that were seen explain the record.
var errNoKeys = errors.New("dtlsadapter: keys of the handshake could not be proven")

// secrets gathers what the record keys come from while pion's handshake runs: the
// master secret from the key log, the randoms and the suite from the hellos. For a
// suite of our own, pion hands all of it over.
type secrets struct {
	server  bool      // we are the server
	forward io.Writer // the user's key log, or nil

	mu     sync.Mutex
	master []byte
	client random // beside master; in a resumption pion's server writes its own there
	local  hellos
	peer   hellos
	agreed *agreement    // what pion last told a suite of our own
	keys   []*engine.Key // that suites of our own open with
}

// agreement is what a handshake agreed on.
type agreement struct {
	suite                      *suite
	master                     []byte
	clientRandom, serverRandom random
}

// Write takes a line of the key log: label, client random and secret. pion writes a
// whole line at once. The line goes on to the user's own log unchanged.
func (s *secrets) Write(line []byte) (int, error) {
	fields := bytes.Fields(line)
	if len(fields) == 3 && string(fields[0]) == "CLIENT_RANDOM" {
		s.take(fields[1], fields[2])
	}
	if s.forward != nil {
		return s.forward.Write(line)
	}
	return len(line), nil
}

func (s *secrets) take(client, secret []byte) {
	if len(client) != 2*keysched.RandomSize || len(secret) != 2*keysched.MasterSecretSize {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.master)
	s.master = make([]byte, keysched.MasterSecretSize)
	_, err := hex.Decode(s.client[:], client)
	if _, bad := hex.Decode(s.master, secret); err != nil || bad != nil {
		s.master = nil
	}
}

// agree takes what pion tells an own suite, and the key that it made of that.
func (s *secrets) agree(id *suite, master, clientRandom, serverRandom []byte, key *engine.Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &agreement{suite: id, master: bytes.Clone(master)}
	copy(a.clientRandom[:], clientRandom)
	copy(a.serverRandom[:], serverRandom)
	s.agreed = a
	s.keys = append(s.keys, key)
}

// sent and received note the hellos in records of epoch 0.
func (s *secrets) sent(rec []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.local.noteRecord(rec, s.server)
}

// greeted reports whether we have sent a hello. A server's pion does so only to a
// peer that returned its cookie, and so is where it says it is.
func (s *secrets) greeted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.local.list) > 0
}

// received notes no more hellos once a server has answered one: whatever comes then
// is a repetition, or a stranger's that would push the answered one out.
func (s *secrets) received(rec []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.server || len(s.local.list) == 0 {
		s.peer.noteRecord(rec, !s.server)
	}
}

// prove finds the agreement under which a record of pion's own opens. Nothing that
// was injected can pass: it would not give the keys that pion uses.
func (s *secrets) prove(e *engine.Engine, own []byte) (*agreement, error) {
	if err := e.Err(); err != nil { // without it nothing opens, and the hellos are not to blame
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agreed != nil && s.agreed.opens(e, s.server, own) {
		return s.agreed, nil
	}
	if s.master == nil {
		return nil, errNoKeys
	}
	peers := s.peer.list
	if s.server {
		peers = append([]hello{{random: s.client}}, peers...)
	}
	for _, local := range s.local.list {
		for _, peer := range peers {
			if a := s.candidate(local, peer); a != nil && a.opens(e, s.server, own) {
				return a, nil
			}
		}
	}
	return nil, errNoKeys
}

func (s *secrets) candidate(local, peer hello) *agreement {
	client, server := local, peer
	if s.server {
		client, server = peer, local
	}
	found, err := suiteOf(server.suite)
	if err != nil {
		return nil
	}
	return &agreement{found, s.master, client.random, server.random}
}

// keys derives the write keys of both sides.
func (a *agreement) keys() (client, server Keys, err error) {
	return DeriveKeys(a.suite.id, a.master, a.clientRandom[:], a.serverRandom[:])
}

// writeKeys are ours and the peer's.
func (a *agreement) writeKeys(server bool) (local, peer Keys, err error) {
	c, s, err := a.keys()
	if server {
		return s, c, err
	}
	return c, s, err
}

// opens reports whether a record that pion sealed is under our write key.
func (a *agreement) opens(e *engine.Engine, server bool, own []byte) bool {
	local, peer, err := a.writeKeys(server)
	defer local.Erase()
	defer peer.Erase()
	if err != nil {
		return false
	}
	opener, err := newOwnOpener(e, a.suite, &local)
	if err != nil {
		return false
	}
	defer opener.close()
	_, err = opener.open(own)
	return err == nil
}

// erase zeroes what is secret.
func (s *secrets) erase() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.master)
	if s.agreed != nil {
		clear(s.agreed.master)
	}
	for _, key := range s.keys {
		key.Close()
	}
	s.keys = nil
}

// export derives keying material (RFC 5705 section 4).
func (a *agreement) export(label string, context []byte, length int) ([]byte, error) {
	out := make([]byte, length)
	return out, keysched.Exporter(out, a.suite.hash, a.master, a.clientRandom[:], a.serverRandom[:], label, context)
}

// ownOpener opens the records that pion sealed for us to send.
type ownOpener struct {
	engine *engine.Engine
	suite  *suite
	key    *engine.Key // nil for suites of our own, which pion does not really seal
}

func newOwnOpener(e *engine.Engine, s *suite, local *Keys) (*ownOpener, error) {
	if s.own() {
		return &ownOpener{suite: s}, nil
	}
	key, err := s.newKey(e, local, ciphers.Opening)
	return &ownOpener{e, s, key}, err
}

// open gives the plaintext of one of pion's records, in new memory.
func (o *ownOpener) open(rec []byte) ([]byte, error) {
	h := parseHeader(rec)
	plaintext := h.length - o.suite.overhead()
	if plaintext < 0 || len(rec) != headerSize+h.length {
		return nil, errNoKeys
	}
	if o.key == nil {
		return o.unwrap(rec, plaintext)
	}
	var aad [aadSize]byte
	h.putAAD(&aad, plaintext)
	p := [1]engine.Packet{{
		Key: o.key, Buf: bytes.Clone(rec), Prefix: aad[:], Number: h.number, IVOff: headerSize,
		Off: uint16(headerSize + o.suite.explicitSize()), Len: uint32(plaintext + o.suite.tag),
	}}
	if o.engine.Open(p[:]) != 1 {
		return nil, p[0].Status.Err()
	}
	return p[0].Opened(o.suite.tag), nil
}

// unwrap takes the plaintext out of what an offer laid out.
func (o *ownOpener) unwrap(rec []byte, plaintext int) ([]byte, error) {
	for _, b := range rec[headerSize+plaintext:] {
		if b != 0 {
			return nil, errNoKeys
		}
	}
	return bytes.Clone(rec[headerSize : headerSize+plaintext]), nil
}

func (o *ownOpener) close() {
	if o.key != nil {
		o.key.Close()
	}
}
