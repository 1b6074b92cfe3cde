package cbchmac

import (
	"crypto/subtle"
	"encoding/binary"
	"hash"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

// Std is the portable tier: crypto/aes, crypto/cipher, crypto/des and
// x/crypto/blowfish under crypto/hmac, one packet at a time. It serves every
// algorithm of ciphers.EncryptThenMAC.
//
// The library's objects keep copies of the keys that cannot be zeroed; closing
// a key drops them.
func Std() ciphers.AEAD { return std{} }

type std struct{}

func (std) ScheduleSize() int { return 0 }

func (std) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	k, err := newStdKey(spec)
	if err != nil {
		return err
	}
	st.Object = k
	return nil
}

func (std) Seal(b ciphers.Burst) int {
	for _, i := range b.Index {
		p := &b.Packets[i]
		p.Key.State(b.Slot).Object.(*stdKey).seal(p)
		p.Status = ciphers.StatusOK
	}
	return len(b.Index)
}

func (std) Open(b ciphers.Burst) (ok int) {
	for _, i := range b.Index {
		p := &b.Packets[i]
		if p.Key.State(b.Slot).Object.(*stdKey).open(p) {
			p.Status = ciphers.StatusOK
			ok++
		} else {
			p.Status = ciphers.StatusAuth
		}
	}
	return ok
}

// stdKey is what the portable tier keeps for a key. The library's objects serve
// one packet at a time, so that concurrent bursts have workers of their own.
type stdKey struct {
	workers sync.Pool
	tag     int
}

// worker is the library's objects under one key, and what must not lie on a
// stack, where it would escape through their interfaces.
type worker struct {
	cipher mode
	mac    hash.Hash
	high   [4]byte
	sum    [64]byte // the longest HMAC
}

func newStdKey(spec *ciphers.KeySpec) (*stdKey, error) {
	newMode, err := modeOf(spec)
	if err != nil {
		return nil, err
	}
	newMAC := macOf(spec)
	k := &stdKey{tag: spec.Algorithm.TagSizes()[0]}
	k.workers.New = func() any { return &worker{cipher: newMode(), mac: newMAC()} }
	return k, nil
}

func (k *stdKey) seal(p *ciphers.Packet) {
	w := k.workers.Get().(*worker)
	sealed := p.Sealed(k.tag)
	n := int(p.Len)
	w.cipher.encrypt(sealed[:n], p.Plaintext(), p)
	copy(sealed[n:], w.icv(p, sealed[:n]))
	k.workers.Put(w)
}

// open reports whether the packet is authentic. It decrypts the one that is, and
// zeroes the plaintext's place of the one that is not.
func (k *stdKey) open(p *ciphers.Packet) bool {
	w := k.workers.Get().(*worker)
	received, opened := p.Received(), p.Opened(k.tag)
	n := len(opened)
	ok := subtle.ConstantTimeCompare(w.icv(p, received[:n])[:k.tag], received[n:]) == 1
	if ok {
		w.cipher.decrypt(opened, received[:n], p)
	} else {
		clear(opened)
	}
	k.workers.Put(w)
	return ok
}

// icv is the HMAC of a packet with that ciphertext, not cut short.
func (w *worker) icv(p *ciphers.Packet, ciphertext []byte) []byte {
	w.mac.Reset()
	w.mac.Write(p.Prefix)
	w.mac.Write(ranged(p))
	w.mac.Write(p.IV())
	w.mac.Write(ciphertext)
	if p.Key.ESN() {
		binary.BigEndian.PutUint32(w.high[:], p.High)
		w.mac.Write(w.high[:])
	}
	return w.mac.Sum(w.sum[:0])
}
