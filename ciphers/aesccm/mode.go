package aesccm

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"slices"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

const (
	blockSize = 16
	// batch is how much keystream is made at a time, so that one call of XORBytes
	// serves several blocks. More gains nothing.
	batch = 4 * blockSize
	// longAAD is the length from which associated data have a length of 6 bytes
	// in front instead of 2 (SP 800-38C A.2.2).
	longAAD = 1<<16 - 1<<8
)

// mode is CCM under one key as a cipher.AEAD. It keeps no state between calls
// and is safe for concurrent use.
type mode struct {
	block cipher.Block
	nonce int // 15 less the bytes that count the payload
	tag   int
}

func (m *mode) NonceSize() int { return m.nonce }
func (m *mode) Overhead() int  { return m.tag }

// work is what one call computes in. A cipher.Block takes slices through an
// interface, so on the stack it would escape.
type work struct {
	mac     [blockSize]byte // CBC-MAC so far
	counter [blockSize]byte // the next counter block
	first   [blockSize]byte // S0, which encrypts the MAC into the tag
	block   [blockSize]byte // a part of the input, padded with zeros
	stream  [batch]byte
}

var works = sync.Pool{New: func() any { return new(work) }}

// Seal panics when the plaintext is longer than the nonce leaves bytes to
// count; a packet that passed the border never is.
func (m *mode) Seal(dst, nonce, plaintext, aad []byte) []byte {
	m.check(nonce, len(plaintext))
	n := len(plaintext)
	dst = slices.Grow(dst, n+m.tag)
	sealed := dst[len(dst) : len(dst)+n+m.tag]
	w := works.Get().(*work)
	m.start(w, nonce, n, aad)
	for out := sealed; len(plaintext) > 0; {
		part := min(len(plaintext), batch)
		m.keystream(w, part)
		m.authenticate(w, plaintext[:part])
		subtle.XORBytes(out, plaintext[:part], w.stream[:])
		plaintext, out = plaintext[part:], out[part:]
	}
	subtle.XORBytes(sealed[n:], w.mac[:m.tag], w.first[:])
	works.Put(w)
	return dst[:len(dst)+n+m.tag]
}

// Open gives ciphers.ErrAuth for whatever is not authentic, and zeroes what it
// wrote then.
func (m *mode) Open(dst, nonce, ciphertext, aad []byte) ([]byte, error) {
	n := len(ciphertext) - m.tag
	if n < 0 {
		return nil, ciphers.ErrAuth
	}
	m.check(nonce, n)
	dst = slices.Grow(dst, n)
	plaintext, tag := dst[len(dst):len(dst)+n], ciphertext[n:]
	w := works.Get().(*work)
	m.start(w, nonce, n, aad)
	for in, out := ciphertext[:n], plaintext; len(in) > 0; {
		part := min(len(in), batch)
		m.keystream(w, part)
		subtle.XORBytes(out, in[:part], w.stream[:])
		m.authenticate(w, out[:part])
		in, out = in[part:], out[part:]
	}
	subtle.XORBytes(w.mac[:], w.mac[:], w.first[:])
	ok := subtle.ConstantTimeCompare(w.mac[:m.tag], tag) == 1
	works.Put(w)
	if !ok {
		clear(plaintext)
		return nil, ciphers.ErrAuth
	}
	return dst[:len(dst)+n], nil
}

func (m *mode) check(nonce []byte, payload int) {
	if len(nonce) != m.nonce {
		panic("aesccm: nonce of the wrong length")
	}
	if counted := 8 * (15 - m.nonce); uint64(payload)>>counted != 0 {
		panic("aesccm: payload longer than its length field")
	}
}

// start leaves in w the MAC of B0 and the associated data, S0, and the counter
// block of S1 (SP 800-38C A.2 and A.3).
func (m *mode) start(w *work, nonce []byte, payload int, aad []byte) {
	w.counter = [blockSize]byte{byte(14 - m.nonce)}
	copy(w.counter[1:], nonce)
	m.block.Encrypt(w.first[:], w.counter[:])

	w.mac = w.counter
	w.mac[0] |= byte(m.tag-2) << 2
	if len(aad) != 0 {
		w.mac[0] |= 1 << 6
	}
	field := binary.BigEndian.Uint64(w.mac[8:]) | uint64(payload)
	binary.BigEndian.PutUint64(w.mac[8:], field)
	m.block.Encrypt(w.mac[:], w.mac[:])
	m.associate(w, aad)
	w.counter[blockSize-1] = 1
}

// associate takes the associated data, their length in front, into the MAC.
func (m *mode) associate(w *work, aad []byte) {
	if len(aad) == 0 {
		return
	}
	clear(w.block[:])
	head := 2
	if len(aad) < longAAD {
		binary.BigEndian.PutUint16(w.block[:], uint16(len(aad)))
	} else {
		head = 6
		w.block[0], w.block[1] = 0xff, 0xfe
		binary.BigEndian.PutUint32(w.block[2:], uint32(len(aad)))
	}
	n := copy(w.block[head:], aad)
	m.chain(w, w.block[:])
	m.authenticate(w, aad[n:])
}

// authenticate takes data, padded with zeros to whole blocks, into the MAC.
func (m *mode) authenticate(w *work, data []byte) {
	for len(data) >= blockSize {
		m.chain(w, data[:blockSize])
		data = data[blockSize:]
	}
	if len(data) != 0 {
		clear(w.block[copy(w.block[:], data):])
		m.chain(w, w.block[:])
	}
}

func (m *mode) chain(w *work, block []byte) {
	subtle.XORBytes(w.mac[:], w.mac[:], block)
	m.block.Encrypt(w.mac[:], w.mac[:])
}

// keystream fills w.stream with at least n bytes. The counter has 2 bytes at
// least and the payload is bounded by them, so no carry leaves the last 8; a
// nonce of 11 to 13 bytes lies in the upper ones and stays.
func (m *mode) keystream(w *work, n int) {
	high, low := binary.BigEndian.Uint64(w.counter[:]), binary.BigEndian.Uint64(w.counter[8:])
	for at := 0; at < n; at += blockSize {
		block := w.stream[at : at+blockSize]
		binary.BigEndian.PutUint64(block, high)
		binary.BigEndian.PutUint64(block[8:], low)
		low++
		m.block.Encrypt(block, block)
	}
	binary.BigEndian.PutUint64(w.counter[8:], low)
}
