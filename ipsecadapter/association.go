package ipsecadapter

import (
	"encoding/binary"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

const (
	espHeader  = 8 // SPI and sequence number
	espTrailer = 2 // pad length and next header
	prefixSize = 12
)

// association is what both directions of an SA keep.
type association struct {
	spi      uint32
	protocol Protocol
	mode     Mode
	carrier  Carrier
	esn      bool
	traits   traits
	lead     int    // ESP header and IV, or AH over IPv4
	lead6    int    // the same, or AH over IPv6
	tag      uint32 // what the engine counts of the ICV as payload: all when it opens
	readsIV  bool   // the engine gets an IV that travels as the number
	varies   bool   // more of a descriptor than length and number
	key      *engine.Key
	meter    meter
}

// open makes the key and says what the numbers may be. Nothing is left to close when it fails.
func (a *association) open(e *engine.Engine, c *Association, d ciphers.Direction) (record.Limits, error) {
	t := c.Transform.traits()
	limits, err := t.limits(c.ESN)
	if err != nil {
		return limits, err
	}
	a.spi, a.protocol, a.esn, a.mode, a.carrier, a.traits = c.SPI, c.Protocol, c.ESN, c.Mode, c.Carrier, t
	a.lead, a.lead6 = espHeader+t.iv, espHeader+t.iv
	if c.Protocol == AH {
		a.lead, a.lead6 = t.ahSize(false), t.ahSize(true)
	}
	a.readsIV, a.varies = t.iv != 0 && t.wholeNonce(), c.ESN || t.authOnly
	if d == ciphers.Opening {
		a.tag = uint32(t.icv)
	}
	if a.key, err = t.newKey(e, c.Key, d, c.ESN); err != nil {
		return limits, fmt.Errorf("ipsecadapter: key for %v: %w", c.Transform, err)
	}
	return limits, nil
}

// leadOf is what stands between the headers of a packet and its payload.
func (a *association) leadOf(v6 bool) int {
	if v6 {
		return a.lead6
	}
	return a.lead
}

// Protocol is what the SA protects packets with.
func (a *association) Protocol() Protocol { return a.protocol }

// SPI is the SA's Security Parameters Index.
func (a *association) SPI() uint32 { return a.spi }

// Expired reports whether the SA's hard lifetime is over.
func (a *association) Expired() bool { return a.meter.expired() }

// Close zeroes the key and stops the lifetime's clock. Bursts that run meanwhile are
// finished first.
func (a *association) Close() {
	a.meter.stop()
	a.key.Close()
}

// SAStats are an SA's counters.
type SAStats struct {
	Packets uint64 // sealed, or found authentic and fresh
	Bytes   uint64 // of payload, padding and trailer
}

// Stats are the counters since the SA was made. What a lifetime refused is in them.
func (a *association) Stats() SAStats {
	return SAStats{a.meter.packets.Load(), a.meter.bytes.Load()}
}

// describe tells the engine of the ESP packet esp, which begins with the SPI and ends
// with the ICV. body is the length of payload, padding and trailer; iv is the one in the
// packet, or the whole number where none is sent. A descriptor of the same SA, and its
// prefix, stay as they are but for what changes from packet to packet.
func (a *association) describe(p *engine.Packet, prefix *[prefixSize]byte, esp []byte, number, iv uint64, body int) {
	if p.Key != a.key {
		a.prepare(p, prefix)
	}
	p.Buf, p.Number, p.Len = esp, iv, uint32(body)+a.tag
	if a.varies {
		a.describeMore(p, prefix, number, body)
	}
}

func (a *association) describeMore(p *engine.Packet, prefix *[prefixSize]byte, number uint64, body int) {
	if a.esn {
		p.High = a.high(prefix, number)
	}
	if a.traits.authOnly { // RFC 4543 section 3: IV and payload are associated data too
		p.AADLen = uint16(a.lead+body) - p.AADOff
		p.Off, p.Len = uint16(a.lead+body), a.tag
	}
}

// prepare writes what all packets of the SA have in common.
func (a *association) prepare(p *engine.Packet, prefix *[prefixSize]byte) {
	*p = engine.Packet{Key: a.key, Off: uint16(a.lead), IVOff: espHeader, AADLen: espHeader}
	if a.esn && !a.traits.isPair() {
		p.Prefix, p.AADOff, p.AADLen = prefix[:], espHeader, 0
	}
}

// high puts the high half of an extended number where the ICV covers it: under an AEAD
// between SPI and sequence number (RFC 4106 section 5), under an HMAC behind the packet
// (RFC 4303 section 2.2.1).
func (a *association) high(prefix *[prefixSize]byte, number uint64) uint32 {
	if a.traits.isPair() {
		return uint32(number >> 32)
	}
	binary.BigEndian.PutUint32(prefix[:], a.spi)
	binary.BigEndian.PutUint64(prefix[4:], number)
	return 0
}
