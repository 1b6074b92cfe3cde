//go:build dpdk

package cryptodev

/*
#include "native.h"
*/
import "C"

import (
	"encoding/binary"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

const (
	// ccmLead is what DPDK keeps in front of CCM's associated data, for B0 and the
	// length (rte_crypto_sym.h).
	ccmLead = 18
	// aadSpare is what it may write behind them.
	aadSpare = 16
)

func (x *aead) refuses(p *ciphers.Packet, d ciphers.Direction) ciphers.Status {
	aad, n := len(p.Prefix)+int(p.AADLen), int(p.Len)
	if d == ciphers.Opening {
		n -= p.Key.TagSize()
	}
	return x.limits.Refuses(x.pair(), aad, aad+p.Key.ExplicitSize(), n)
}

func (x *aead) pair() bool { return x.shape.mac != C.NO_MAC }

// stage takes in a packet, and reports whether there was room.
func (c *chunk) stage(x *aead, p *ciphers.Packet, slot int) bool {
	r := &c.c.records[c.c.count]
	tag := p.Key.TagSize()
	r.key = *handle(p.Key.State(slot))
	r.length, r.in_place, r.pair = C.uint32_t(p.Len), 0, 0
	if c.c.opening != 0 {
		r.length -= C.uint32_t(tag)
	}
	x.setIV(r, p)
	if x.pair() {
		return c.stagePair(x, r, p, tag)
	}
	return c.stageAEAD(x, r, p, tag)
}

// stageAEAD takes in a packet whose associated data DPDK wants apart.
func (c *chunk) stageAEAD(x *aead, r *C.struct_record, p *ciphers.Packet, tag int) bool {
	lead := 0
	if x.shape.cipher == C.CCM {
		lead = ccmLead
	}
	aad := len(p.Prefix) + int(p.AADLen)
	aadAt, room, ok := c.take(lead + aad + aadSpare)
	if !ok {
		return false
	}
	putAAD(room[lead:], p)
	r.aad, r.aad_length, r.head, r.tail = C.uint64_t(c.base+uint64(aadAt)), C.uint32_t(aad), 0, 0
	if x.device.inPlace(p) {
		c.place(r, p, tag)
		return true
	}
	at, room, ok := c.take(int(r.length) + tag)
	if !ok {
		return false
	}
	copy(room, c.source(p))
	r.message = C.uint64_t(c.base + uint64(at))
	r.tag = r.message + C.uint64_t(r.length)
	return true
}

// source is what is to be sealed, or to be opened with its tag.
func (c *chunk) source(p *ciphers.Packet) []byte {
	if c.c.opening != 0 {
		return p.Received()
	}
	return p.Plaintext()
}

// target is where the result goes, with the tag when sealing.
func (c *chunk) target(p *ciphers.Packet, tag int) []byte {
	if c.c.opening != 0 {
		return p.Opened(tag)
	}
	return p.Sealed(tag)
}

// place says of a packet where it lies. What is out of place moves first.
func (c *chunk) place(r *C.struct_record, p *ciphers.Packet, tag int) {
	from, to := c.source(p), c.target(p, tag)
	if unsafe.SliceData(from) != unsafe.SliceData(to) {
		copy(to[:r.length], from)
	}
	r.in_place = 1
	r.message = C.uint64_t(address(unsafe.SliceData(to)))
	r.tag = r.message + C.uint64_t(r.length)
	if c.c.opening != 0 {
		r.tag = C.uint64_t(address(unsafe.SliceData(from)) + uint64(r.length))
	}
}

// stagePair takes in a packet whose associated data, IV and payload DPDK wants one
// behind the other, and behind them what else the ICV covers.
func (c *chunk) stagePair(x *aead, r *C.struct_record, p *ciphers.Packet, tag int) bool {
	aad, iv := len(p.Prefix)+int(p.AADLen), p.IV()
	r.pair, r.aad_length, r.tail = 1, 0, 0
	r.head = C.uint32_t(aad + len(iv))
	if x.device.inPlace(p) && contiguous(p, c.target(p, tag)) {
		c.place(r, p, tag)
		r.message -= C.uint64_t(r.head)
		return true
	}
	if p.Key.ESN() {
		r.tail = 4
	}
	at, room, ok := c.take(int(r.head+r.length+r.tail) + tag)
	if !ok {
		return false
	}
	putAAD(room, p)
	copy(room[aad:], iv)
	n := int(r.head) + copy(room[r.head:], c.source(p)[:r.length])
	if r.tail != 0 {
		binary.BigEndian.PutUint32(room[n:], p.High)
	}
	if c.c.opening != 0 {
		copy(room[n+int(r.tail):], p.Received()[r.length:])
	}
	r.message = C.uint64_t(c.base + uint64(at))
	r.tag = r.message + C.uint64_t(n) + C.uint64_t(r.tail)
	return true
}

// contiguous reports that associated data, IV and payload lie one behind the other,
// with nothing else that the ICV covers.
func contiguous(p *ciphers.Packet, target []byte) bool {
	iv := p.Key.ExplicitSize()
	return len(p.Prefix) == 0 && !p.Key.ESN() && int(p.IVOff)+iv == int(p.Off) &&
		(p.AADLen == 0 || int(p.AADOff)+int(p.AADLen) == int(p.IVOff)) &&
		unsafe.SliceData(target) == unsafe.SliceData(p.Buf[p.Off:])
}

// setIV writes the nonce as DPDK wants it: behind a byte for CCM, with the first
// counter for CTR (RFC 3686 section 4), the IV itself for CBC.
func (x *aead) setIV(r *C.struct_record, p *ciphers.Packet) {
	iv := (*[16]byte)(unsafe.Pointer(&r.iv))
	switch x.shape.cipher {
	case C.CBC:
		copy(iv[:], p.IV())
	case C.CTR:
		copy(iv[:12], p.Nonce()[:])
		binary.BigEndian.PutUint32(iv[12:], 1)
	case C.CCM:
		iv[0] = 0
		if p.Key.NonceSize() == 13 {
			iv[1] = p.Key.Lead()
			copy(iv[2:], p.Nonce()[:])
		} else {
			copy(iv[1:], p.Nonce()[:])
		}
	default:
		copy(iv[:], p.Nonce()[:])
	}
}

func putAAD(to []byte, p *ciphers.Packet) {
	n := copy(to, p.Prefix)
	if p.AADLen != 0 {
		copy(to[n:], p.Buf[p.AADOff:][:p.AADLen])
	}
}
