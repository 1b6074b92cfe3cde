package engine

import (
	"crypto/cipher"
	"fmt"
	"sync/atomic"

	"github.com/sealburst/sealburst/ciphers"
)

// AEAD is a cipher.AEAD on the engine, for users who have one packet at a time
// and as a drop-in for the standard library's. Nonces are 12 bytes, tags 16.
// Messages and associated data longer than a packet's go to the portable
// library. It is safe for concurrent use.
type AEAD struct {
	engine  *Engine
	sealing *Key
	opening *Key
	tag     int
	direct  atomic.Pointer[cipher.AEAD] // the library's own; nil after Close
}

const nonceSize = 12

// AEAD makes the cipher.AEAD of an algorithm under a key. It fails as NewKey
// does, and with a *ciphers.FieldError for a mask and for an algorithm of
// ciphers.EncryptThenMAC, which has no such form. Close zeroes the key.
func (e *Engine) AEAD(alg Algorithm, key []byte) (*AEAD, error) {
	spec := KeySpec{Algorithm: alg, Direction: ciphers.Sealing, Key: key, Nonce: ciphers.NonceXOR, IV: make([]byte, nonceSize)}
	switch {
	case alg.IsMask():
		return nil, &ciphers.FieldError{Field: "Algorithm", Reason: alg.String() + " is a mask"}
	case alg.Integrity() != 0:
		return nil, &ciphers.FieldError{Field: "Algorithm", Reason: alg.String() + " takes two keys and has no cipher.AEAD form"}
	}
	sealing, err := e.NewKey(spec)
	if err != nil {
		return nil, err
	}
	spec.Direction = ciphers.Opening
	opening, err := e.NewKey(spec)
	if err != nil {
		sealing.Close()
		return nil, err
	}
	a := &AEAD{engine: e, sealing: sealing, opening: opening, tag: sealing.TagSize()}
	library, err := e.newLibrary(alg, key)
	if err != nil {
		a.Close()
		return nil, err
	}
	a.direct.Store(&library)
	return a, nil
}

// newLibrary makes a library's AEAD, for what no packet holds.
func (e *Engine) newLibrary(alg Algorithm, key []byte) (cipher.AEAD, error) {
	for _, b := range e.backends {
		if maker, ok := b.AEADs[alg].(ciphers.Library); ok {
			return maker.NewAEAD(alg, key)
		}
	}
	return nil, &NoBackendError{alg}
}

// NonceSize is 12.
func (a *AEAD) NonceSize() int { return nonceSize }

// Overhead is the length of the tag, 16.
func (a *AEAD) Overhead() int { return a.tag }

// Close zeroes the key, after the calls that run.
func (a *AEAD) Close() {
	a.sealing.Close()
	a.opening.Close()
	a.direct.Store(nil)
}

// Seal does what cipher.AEAD says: it appends ciphertext and tag to dst. It
// panics on a nonce of another length, on buffers that overlap in part, and on
// associated data that overlap the output or the ciphertext. Having no error to
// return, it panics as well once the AEAD or the engine is closed, by another goroutine
// too, and when a device that serves the algorithm fails or takes no message so long.
func (a *AEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce)
	if len(plaintext) > ciphers.MaxPayload || len(additionalData) > ciphers.MaxAAD {
		return a.sealWhole(dst, nonce, plaintext, additionalData)
	}
	ret, out := extend(dst, len(plaintext)+a.tag)
	s := a.engine.enter()
	p := s.lonePacket(a.sealing, nonce, additionalData)
	p.Buf, p.Plain, p.Len = out, plaintext, uint32(len(plaintext))
	if status := s.runLone(opSeal); status != ciphers.StatusOK {
		panic("engine: AEAD.Seal: " + status.Err().Error())
	}
	return ret
}

// Open does what cipher.AEAD says: it appends the plaintext to dst, or returns
// ciphers.ErrAuth. It returns ciphers.ErrKeyClosed after Close, an error that is ErrClosed
// too once the engine is closed, and the error of the Status when a device that serves the
// algorithm fails or takes no message so long. It panics as Seal does on a nonce of
// another length and on buffers that overlap.
func (a *AEAD) Open(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	checkNonce(nonce)
	n := len(ciphertext) - a.tag
	if n < 0 {
		return nil, ciphers.ErrAuth
	}
	if n > ciphers.MaxPayload || len(additionalData) > ciphers.MaxAAD {
		return a.openWhole(dst, nonce, ciphertext, additionalData)
	}
	ret, out := extend(dst, n)
	s := a.engine.enter()
	p := s.lonePacket(a.opening, nonce, additionalData)
	p.Buf, p.Plain, p.Len = ciphertext, out, uint32(len(ciphertext))
	switch status := s.runLone(opOpen); status {
	case ciphers.StatusOK:
		return ret, nil
	case ciphers.StatusOverlap:
		panic("engine: AEAD.Open: " + status.Err().Error())
	case ciphers.StatusKeyClosed:
		return nil, a.closedError()
	default:
		return nil, status.Err()
	}
}

// closedError says who closed the key: Close, or the engine's.
func (a *AEAD) closedError() error {
	if a.engine.closed.Load() {
		return errEngineClosed
	}
	return ciphers.ErrKeyClosed
}

var errEngineClosed = fmt.Errorf("%w: %w", ErrClosed, ciphers.ErrKeyClosed)

func (a *AEAD) sealWhole(dst, nonce, plaintext, additionalData []byte) []byte {
	library, err := a.whole()
	if err != nil {
		panic("engine: AEAD.Seal: " + err.Error())
	}
	return library.Seal(dst, nonce, plaintext, additionalData)
}

func (a *AEAD) openWhole(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	library, err := a.whole()
	if err != nil {
		return nil, err
	}
	plaintext, err := library.Open(dst, nonce, ciphertext, additionalData)
	if err != nil {
		return nil, ciphers.ErrAuth
	}
	return plaintext, nil
}

// whole is the library for messages that no packet holds.
func (a *AEAD) whole() (cipher.AEAD, error) {
	library := a.direct.Load()
	if library == nil || a.engine.closed.Load() {
		return nil, a.closedError()
	}
	return *library, nil
}
