package ciphers

import (
	"crypto/cipher"
	"sync"
)

// NewAEADFunc makes a library's AEAD for a key, with nonces and tags of those
// sizes in bytes. It is asked for every size that the algorithm's NonceSizes and
// TagSizes list, and what it makes may write no byte behind the tag. The GCM of
// crypto/cipher fulfils neither with short tags (golang/go#80288); package
// ciphers/aesgcm shows the way round: a full tag, cut to size.
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
		k := p.Key.states[b.Slot&1].Object.(*stdKey)
		if k.fits(p) {
			out := p.Buf[p.Off : p.Off : int(p.Off)+int(p.Len)+k.tag]
			k.aead.Seal(out, p.nonce[:], p.Plaintext(), p.AAD(nil))
		} else {
			k.sealGathered(p)
		}
		p.Status = StatusOK
	}
	return len(b.Index)
}

func (std) Open(b Burst) (ok int) {
	for _, i := range b.Index {
		p := &b.Packets[i]
		k := p.Key.states[b.Slot&1].Object.(*stdKey)
		var err error
		if k.fits(p) {
			_, err = k.aead.Open(p.Opened(k.tag)[:0], p.nonce[:], p.Received(), p.AAD(nil))
		} else {
			err = k.openGathered(p)
		}
		if err == nil {
			p.Status = StatusOK
			ok++
			continue
		}
		p.Status = StatusAuth
		clear(p.Opened(k.tag))
	}
	return ok
}

// fits reports that the packet has its nonce and its associated data in one
// piece each, as libraries want them.
func (k *stdKey) fits(p *Packet) bool {
	return k.nonce == 12 && (p.AADLen == 0 || len(p.Prefix) == 0)
}

func (k *stdKey) sealGathered(p *Packet) {
	s := stdScratches.Get().(*stdScratch)
	nonce, aad := s.gather(k, p)
	k.aead.Seal(p.Sealed(k.tag)[:0], nonce, p.Plaintext(), aad)
	stdScratches.Put(s)
}

func (k *stdKey) openGathered(p *Packet) error {
	s := stdScratches.Get().(*stdScratch)
	nonce, aad := s.gather(k, p)
	_, err := k.aead.Open(p.Opened(k.tag)[:0], nonce, p.Received(), aad)
	stdScratches.Put(s)
	return err
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
