package ciphers

import (
	"crypto/cipher"
	"sync"
)

// NewAEADFunc makes a library's AEAD for a key, with nonces and tags of those
// sizes in bytes.
type NewAEADFunc func(key []byte, nonceSize, tagSize int) (cipher.AEAD, error)

// Std is an implementation that calls a library's cipher.AEAD once a packet. It
// is the portable implementation of every AEAD, and the shortest way to make
// any cipher.AEAD a backend. The library's objects keep copies of the key that
// cannot be zeroed; closing a key drops them.
func Std(newAEAD NewAEADFunc) AEAD { return std{newAEAD} }

// Library is an AEAD that can make the library's own cipher.AEAD for a full tag
// and a nonce of 12 bytes. Messages longer than a packet go to it.
type Library interface {
	NewAEAD(alg Algorithm, key []byte) (cipher.AEAD, error)
}

type std struct{ newAEAD NewAEADFunc }

// NewAEAD fulfils Library.
func (s std) NewAEAD(alg Algorithm, key []byte) (cipher.AEAD, error) {
	return s.newAEAD(key, 12, alg.traits().tags[0])
}

type stdKey struct {
	aead  cipher.AEAD
	tag   int
	nonce int
	lead  byte
}

func (std) ScheduleSize() int { return 0 }

func (s std) Expand(st *State, spec *KeySpec) error {
	tag := spec.TagSize
	if tag == 0 {
		tag = spec.Algorithm.traits().tags[0]
	}
	aead, err := s.newAEAD(spec.Key, spec.nonceSize(), tag)
	if err != nil {
		return err
	}
	k := &stdKey{aead: aead, tag: tag, nonce: spec.nonceSize()}
	if k.nonce == 13 {
		k.lead = spec.IV[0]
	}
	st.Object = k
	return nil
}

func (std) Seal(b Burst) int {
	for _, i := range b.Index {
		p := &b.Packets[i]
		p.Key.states[b.Slot&1].Object.(*stdKey).seal(p)
		p.Status = StatusOK
	}
	return len(b.Index)
}

func (std) Open(b Burst) (ok int) {
	for _, i := range b.Index {
		p := &b.Packets[i]
		if p.Key.states[b.Slot&1].Object.(*stdKey).open(p) {
			p.Status = StatusOK
			ok++
			continue
		}
		p.Status = StatusAuth
		clear(p.Opened(p.Key.TagSize()))
	}
	return ok
}

func (k *stdKey) seal(p *Packet) {
	if k.nonce != 13 && (p.AADLen == 0 || len(p.Prefix) == 0) {
		k.aead.Seal(p.Sealed(k.tag)[:0], p.nonce[:k.nonce], p.Plaintext(), p.AAD(nil))
		return
	}
	s := stdScratches.Get().(*stdScratch)
	nonce, aad := s.gather(k, p)
	k.aead.Seal(p.Sealed(k.tag)[:0], nonce, p.Plaintext(), aad)
	stdScratches.Put(s)
}

func (k *stdKey) open(p *Packet) bool {
	if k.nonce != 13 && (p.AADLen == 0 || len(p.Prefix) == 0) {
		_, err := k.aead.Open(p.Opened(k.tag)[:0], p.nonce[:k.nonce], p.Received(), p.AAD(nil))
		return err == nil
	}
	s := stdScratches.Get().(*stdScratch)
	nonce, aad := s.gather(k, p)
	_, err := k.aead.Open(p.Opened(k.tag)[:0], nonce, p.Received(), aad)
	stdScratches.Put(s)
	return err == nil
}

// stdScratch holds what a library wants in one piece and a Packet has in two.
// On a stack it would escape through the interface call.
type stdScratch struct {
	nonce [13]byte
	aad   []byte
}

var stdScratches = sync.Pool{New: func() any { return new(stdScratch) }}

func (s *stdScratch) gather(k *stdKey, p *Packet) (nonce, aad []byte) {
	if need := len(p.Prefix) + int(p.AADLen); cap(s.aad) < need {
		s.aad = make([]byte, 0, need)
	}
	nonce = p.nonce[:min(k.nonce, 12)]
	if k.nonce == 13 {
		s.nonce[0] = k.lead
		copy(s.nonce[1:], p.nonce[:])
		nonce = s.nonce[:]
	}
	return nonce, p.AAD(s.aad)
}
