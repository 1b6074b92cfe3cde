package engine

import (
	"crypto/cipher"
	"sync"

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
	whole   cipher.AEAD
}

// AEAD makes the cipher.AEAD of an algorithm under a key. Close zeroes it.
func (e *Engine) AEAD(alg Algorithm, key []byte) (*AEAD, error) {
	whole, err := e.whole(alg, key)
	if err != nil {
		return nil, err
	}
	spec := KeySpec{Algorithm: alg, Direction: ciphers.Sealing, Key: key, Nonce: ciphers.NonceXOR, IV: make([]byte, nonceSize)}
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
	return &AEAD{e, sealing, opening, sealing.TagSize(), whole}, nil
}

const nonceSize = 12

// whole is a library's AEAD for what no packet holds.
func (e *Engine) whole(alg Algorithm, key []byte) (cipher.AEAD, error) {
	if alg.IsMask() {
		return nil, &ciphers.FieldError{Field: "Algorithm", Reason: alg.String() + " is a mask"}
	}
	spec := KeySpec{Algorithm: alg, Direction: ciphers.Sealing, Key: key, Nonce: ciphers.NonceXOR, IV: make([]byte, nonceSize)}
	if err := spec.Check(); err != nil {
		return nil, err
	}
	for _, b := range e.backends {
		if lib, ok := b.AEADs[alg].(ciphers.Library); ok {
			return lib.NewAEAD(alg, key)
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
}

// lone is a burst of one, kept so that a call allocates nothing.
type lone struct{ packets [1]Packet }

var lones = sync.Pool{New: func() any { return new(lone) }}

func (l *lone) release() {
	l.packets[0] = Packet{}
	lones.Put(l)
}

// Seal does what cipher.AEAD says: it appends ciphertext and tag to dst. It
// panics on a nonce of another length, a partial overlap, or after Close.
func (a *AEAD) Seal(dst, nonce, plaintext, additionalData []byte) []byte {
	checkNonce(nonce)
	if len(plaintext) > ciphers.MaxPayload || len(additionalData) > ciphers.MaxAAD {
		return a.whole.Seal(dst, nonce, plaintext, additionalData)
	}
	ret, out := extend(dst, len(plaintext)+a.tag)
	l := a.prepare(a.sealing, out, nonce, plaintext, additionalData)
	defer l.release()
	l.packets[0].Len = uint32(len(plaintext))
	if a.engine.Seal(l.packets[:]) != 1 {
		panic("engine: AEAD.Seal: " + l.packets[0].Status.Err().Error())
	}
	return ret
}

// Open does what cipher.AEAD says: it appends the plaintext to dst, or returns
// ciphers.ErrAuth. It panics as Seal does.
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
	l := a.prepare(a.opening, ciphertext, nonce, out, additionalData)
	defer l.release()
	l.packets[0].Len = uint32(len(ciphertext))
	if a.engine.Open(l.packets[:]) == 1 {
		return ret, nil
	}
	if status := l.packets[0].Status; status != ciphers.StatusAuth {
		panic("engine: AEAD.Open: " + status.Err().Error())
	}
	return nil, ciphers.ErrAuth
}

func (a *AEAD) openWhole(dst, nonce, ciphertext, additionalData []byte) ([]byte, error) {
	plaintext, err := a.whole.Open(dst, nonce, ciphertext, additionalData)
	if err != nil {
		return nil, ciphers.ErrAuth
	}
	return plaintext, nil
}

// prepare fills a burst of one. Number and High under an IV of zeros make any
// nonce; plain is where the plaintext is or goes.
func (a *AEAD) prepare(k *Key, wire, nonce, plain, additionalData []byte) *lone {
	l := lones.Get().(*lone)
	p := &l.packets[0]
	p.Key, p.Buf, p.Plain, p.Prefix = k, wire, plain, additionalData
	p.High, p.Number = splitNonce(nonce)
	if plain == nil {
		p.Plain = []byte{} // nil would mean in place
	}
	return l
}
