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
	spi     uint32
	esn     bool
	mode    Mode
	carrier Carrier
	traits  traits
	lead    int // ESP header and IV
	key     *engine.Key
	meter   meter
}

// open makes the key and says what the numbers may be. Nothing is left to close when it fails.
func (a *association) open(e *engine.Engine, c *Association, d ciphers.Direction) (record.Limits, error) {
	t := c.Transform.traits()
	limits, err := t.limits(c.ESN)
	if err != nil {
		return limits, err
	}
	a.spi, a.esn, a.mode, a.carrier, a.traits = c.SPI, c.ESN, c.Mode, c.Carrier, t
	a.lead = espHeader + t.iv
	if a.key, err = t.newKey(e, c.Key, d); err != nil {
		return limits, fmt.Errorf("ipsecadapter: key for %v: %w", c.Transform, err)
	}
	return limits, nil
}

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
// with the ICV. body is the length of payload, padding and trailer. Of extended numbers
// the high half goes between SPI and sequence number (RFC 4106 section 5).
func (a *association) describe(p *engine.Packet, prefix *[prefixSize]byte, esp []byte, number uint64, body int) {
	p.Key = a.key
	p.Buf = esp
	p.Number = number
	p.IVOff = espHeader
	p.Prefix, p.AADOff, p.AADLen = nil, 0, espHeader
	if a.esn {
		binary.BigEndian.PutUint32(prefix[:], a.spi)
		binary.BigEndian.PutUint64(prefix[4:], number)
		p.Prefix, p.AADOff, p.AADLen = prefix[:], espHeader, 0
	}
	p.Off, p.Len = uint16(a.lead), uint32(body)
	if a.traits.authOnly { // RFC 4543 section 3: IV and payload are associated data too
		p.AADLen += uint16(a.traits.iv + body)
		p.Off, p.Len = uint16(a.lead+body), 0
	}
	if a.key.Direction() == ciphers.Opening {
		p.Len += uint32(a.traits.icv)
	}
}
