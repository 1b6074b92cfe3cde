package quicadapter

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/keysched"
)

// keys are those of one packet type in one direction.
//
// Invariant of OneRTT: next is the key of the phase after key's, made from secret, so
// that a key update costs no derivation before its packet is authentic (RFC 9001
// section 6.3). mask serves all phases.
type keys struct {
	key  *engine.Key
	mask *engine.Key
	next *engine.Key
	// prev opens late packets (RFC 9001 section 6.5), and lets bursts end that took a
	// sealing key before an update.
	prev   *engine.Key
	secret []byte // of next

	suite  Suite
	sender *record.Sender // sealing: the numbers under key
	gone   bool           // was discarded
}

// maker makes keys for one connection.
type maker struct {
	engine  *engine.Engine
	version Version
}

const (
	ivSize     = 12
	maxKeySize = 32
)

// make derives key and header-protection key from a traffic secret (RFC 9001 section 5.1).
func (m *maker) make(s Suite, d ciphers.Direction, secret []byte) (*keys, error) {
	p, err := s.protection()
	if err != nil {
		return nil, err
	}
	k := &keys{suite: s}
	if k.key, err = m.aead(p, d, secret); err != nil {
		return nil, err
	}
	if k.mask, err = m.mask(p, secret); err != nil {
		k.close()
		return nil, err
	}
	return k, nil
}

func (m *maker) aead(p protection, d ciphers.Direction, secret []byte) (*engine.Key, error) {
	var storage [maxKeySize + ivSize]byte
	defer clear(storage[:])
	t := keysched.TrafficKeys{Key: storage[:p.aead.KeySize()], IV: storage[maxKeySize:]}
	if err := t.QUIC(m.version, p.hash, secret); err != nil {
		return nil, err
	}
	return m.engine.NewKey(engine.KeySpec{
		Algorithm: p.aead, Direction: d, Key: t.Key, Nonce: ciphers.NonceXOR, IV: t.IV,
	})
}

func (m *maker) mask(p protection, secret []byte) (*engine.Key, error) {
	var storage [maxKeySize]byte
	defer clear(storage[:])
	t := keysched.TrafficKeys{Mask: storage[:p.mask.KeySize()]}
	if err := t.QUIC(m.version, p.hash, secret); err != nil {
		return nil, err
	}
	return m.engine.NewKey(engine.KeySpec{Algorithm: p.mask, Key: t.Mask})
}

// follow derives from a secret the next one and its key.
func (m *maker) follow(s Suite, d ciphers.Direction, secret []byte) (next []byte, key *engine.Key, err error) {
	p, err := s.protection()
	if err != nil {
		return nil, nil, err
	}
	next = make([]byte, p.hash.Size())
	if err := m.version.Next(next, p.hash, secret); err != nil {
		return nil, nil, err
	}
	if key, err = m.aead(p, d, next); err != nil {
		clear(next)
		return nil, nil, err
	}
	return next, key, nil
}

// advance moves to the next phase. On an error nothing has moved.
func (k *keys) advance(m *maker, d ciphers.Direction) error {
	secret, following, err := m.follow(k.suite, d, k.secret)
	if err != nil {
		return err
	}
	clear(k.secret)
	k.closePrev()
	k.prev, k.key, k.next, k.secret = k.key, k.next, following, secret
	return nil
}

func (k *keys) closePrev() {
	if k.prev != nil {
		k.prev.Close()
		k.prev = nil
	}
}

// close zeroes all of the keys, once no burst runs with them.
func (k *keys) close() {
	for _, key := range [...]**engine.Key{&k.key, &k.mask, &k.next, &k.prev} {
		if *key != nil {
			(*key).Close()
			*key = nil
		}
	}
	clear(k.secret)
	k.secret, k.sender = nil, nil
}
