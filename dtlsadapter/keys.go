package dtlsadapter

import (
	"fmt"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/keysched"
)

// Keys are the write keys of one side, from which the other opens.
type Keys struct {
	Suite dtls.CipherSuiteID
	Key   []byte // as long as the suite's cipher wants
	IV    []byte // the fixed part of the nonce: 4 bytes, or 12 for ChaCha20-Poly1305
	Epoch uint16 // at least 1: epoch 0 is in the clear
	First uint64 // the first sequence number to seal; 0 for new keys
}

// DeriveKeys makes the write keys of both sides for epoch 1 from a handshake's
// secret and randoms (RFC 5246 section 6.3). It returns an ErrSuite for a suite
// that is not carried, and keysched's errors for lengths.
func DeriveKeys(id dtls.CipherSuiteID, master, clientRandom, serverRandom []byte) (client, server Keys, err error) {
	s, err := suiteOf(id)
	if err != nil {
		return Keys{}, Keys{}, err
	}
	size, iv := s.algorithm.KeySize(), s.ivSize()
	client = Keys{Suite: id, Key: make([]byte, size), IV: make([]byte, iv), Epoch: 1}
	server = Keys{Suite: id, Key: make([]byte, size), IV: make([]byte, iv), Epoch: 1}
	block := keysched.KeyBlock{ClientKey: client.Key, ServerKey: server.Key, ClientIV: client.IV, ServerIV: server.IV}
	return client, server, block.Derive(s.hash, master, clientRandom, serverRandom)
}

// Erase zeroes the keys. Halves that were made from them are not affected.
func (k *Keys) Erase() {
	clear(k.Key)
	clear(k.IV)
}

// half is what both directions of a connection have.
type half struct {
	engine   *engine.Engine
	suite    *suite
	key      *engine.Key
	epoch    uint16
	data     uint64 // type, version and epoch of application data, as the header begins
	explicit int
	tag      int
	counters counters
}

// open makes the half's key and says what its numbers may be.
func (h *half) open(e *engine.Engine, k *Keys, d ciphers.Direction) (record.Limits, error) {
	s, err := suiteOf(k.Suite)
	if err != nil {
		return record.Limits{}, err
	}
	if k.Epoch == 0 {
		return record.Limits{}, &FieldError{"Epoch", "0 is the epoch without keys"}
	}
	h.engine, h.suite, h.epoch, h.explicit, h.tag = e, s, k.Epoch, s.explicitSize(), s.tag
	h.data = typeApplicationData<<32 | version12<<16 | uint64(k.Epoch)
	limits, err := record.LimitsFor(record.DTLS12, s.algorithm, s.tag)
	if err != nil {
		return limits, err
	}
	h.key, err = s.newKey(e, k, d)
	return limits, err
}

func (s *suite) newKey(e *engine.Engine, k *Keys, d ciphers.Direction) (*engine.Key, error) {
	key, err := e.NewKey(engine.KeySpec{Algorithm: s.algorithm, Direction: d, Key: k.Key, Nonce: s.nonce, IV: k.IV, TagSize: s.tag})
	if err != nil {
		return nil, fmt.Errorf("dtlsadapter: key for %v: %w", s, err)
	}
	return key, nil
}

// Epoch is the epoch of the records.
func (h *half) Epoch() uint16 { return h.epoch }

// Suite is the cipher suite of the records.
func (h *half) Suite() dtls.CipherSuiteID { return h.suite.id }

// Overhead is how many bytes a record is longer than its payload.
func (h *half) Overhead() int { return headerSize + h.suite.overhead() }

// Stats are the counters since the half was made.
func (h *half) Stats() Flow { return h.counters.snapshot() }

// Close zeroes the key. Bursts that run meanwhile are finished first.
func (h *half) Close() { h.key.Close() }
