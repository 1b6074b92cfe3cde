//go:build amd64 && !purego

package cbchmac

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
)

const (
	// gathered is how many bytes of a message are put together at a time. Of what
	// is longer, whole blocks are read where they stand.
	gathered   = 2 * hashBlock
	minPadding = 1 + 8 // the bit behind the message, and its length
)

// macLane is one packet's inner hash under way.
type macLane struct {
	packet *ciphers.Packet // nil when the lane is free
	key    *schedule
	parts  [5][]byte // what is left of the message
	part   int       // the first of them that may not be empty
	rest   int       // bytes left in parts
	bits   uint64    // that are hashed, the key's block in front included
	padded bool      // nothing follows the blocks at hand
	high   [4]byte
	block  [gathered + hashBlock]byte
}

// start begins the HMAC of a packet with n bytes of ciphertext: associated data,
// IV, ciphertext and, under a key for it, the high half of the sequence number.
// What stands in one piece, as in ESP, is one part.
func (m *macLane) start(p *ciphers.Packet, n int) {
	m.packet, m.padded = p, false
	m.rest = int(p.AADLen) + p.Key.ExplicitSize() + n
	if from, ok := inOnePiece(p, n); ok {
		m.parts[3], m.part = p.Buf[from:][:m.rest], 3
	} else {
		m.parts[0], m.parts[1], m.part = p.Prefix, ranged(p), 0
		m.parts[2], m.parts[3] = p.IV(), p.Buf[p.Off:][:n]
		m.rest += len(p.Prefix)
	}
	if m.parts[4] = nil; p.Key.ESN() {
		binary.BigEndian.PutUint32(m.high[:], p.High)
		m.parts[4] = m.high[:]
		m.rest += len(m.high)
	}
	m.bits = 8 * uint64(hashBlock+m.rest)
}

// inOnePiece reports where in its buffer the message of a packet with n bytes of
// ciphertext starts, if it stands there in one piece. An offset of what has no bytes
// may be anything.
func inOnePiece(p *ciphers.Packet, n int) (from int, ok bool) {
	from, iv := int(p.Off), p.Key.ExplicitSize()
	ok = len(p.Prefix) == 0
	if iv != 0 {
		ok = ok && int(p.IVOff)+iv == from
		from = int(p.IVOff)
	}
	if p.AADLen != 0 {
		ok = ok && (iv+n == 0 || int(p.AADOff)+int(p.AADLen) == from)
		from = int(p.AADOff)
	}
	return from, ok
}

// message is the next whole blocks of the message, its padding behind the last.
func (m *macLane) message() []byte {
	for m.part < len(m.parts) && len(m.parts[m.part]) == 0 {
		m.part++
	}
	if m.rest > gathered && len(m.parts[m.part]) >= hashBlock {
		part := m.parts[m.part]
		whole := len(part) &^ (hashBlock - 1)
		m.parts[m.part] = part[whole:]
		m.rest -= whole
		return part[:whole]
	}
	return m.gather()
}

// gather fills the block from the parts and, where they end in it, pads.
func (m *macLane) gather() []byte {
	n := 0
	if m.rest <= gathered {
		for _, part := range m.parts[m.part:] {
			n += copy(m.block[n:gathered], part)
		}
		return m.pad(n)
	}
	for n < gathered {
		c := copy(m.block[n:gathered], m.parts[m.part])
		n += c
		if m.parts[m.part] = m.parts[m.part][c:]; len(m.parts[m.part]) == 0 {
			m.part++
		}
	}
	m.rest -= n
	return m.block[:n]
}

// pad ends a message whose last n bytes are in the block (FIPS 180-4 section 5.1.1).
func (m *macLane) pad(n int) []byte {
	end := (n + minPadding + hashBlock - 1) &^ (hashBlock - 1)
	m.block[n] = 0x80
	clear(m.block[n+1 : end-8])
	binary.BigEndian.PutUint64(m.block[end-8:], m.bits)
	m.padded = true
	return m.block[:end]
}
