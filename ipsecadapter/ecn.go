package ipsecadapter

import "encoding/binary"

// ECN code points (RFC 3168 section 5).
const (
	notECT = iota
	ect1
	ect0
	ce
	ecnBits = 3
)

// outerStart says which bits of the first 8 bytes of an outer IPv4 header are the inner
// one's, and what the others are, the length apart: DSCP and ECN, which RFC 6040's normal mode
// copies (section 4.1), and the Don't Fragment bit.
func (c *OutboundConfig) outerStart() (copied, fixed uint64) {
	tos, df := uint64(0xff), uint64(flagDF)
	fixed = 0x45 << 56
	if c.FixedDSCP {
		tos = ecnBits
		fixed |= uint64(c.DSCP) << 50
	}
	if c.WithoutECN {
		tos &^= ecnBits
	}
	switch c.DF {
	case SetDF:
		fixed |= flagDF
	case ClearDF:
		df = 0
	}
	return tos<<48 | df, fixed
}

// innerECN is what the ECN of a packet becomes as it leaves the tunnel (RFC 6040
// section 4.2). It reports false for one that must be dropped, since loss is all that
// its receiver understands.
func innerECN(outer, inner byte) (ecn byte, keep bool) {
	outer, inner = outer&ecnBits, inner&ecnBits
	switch {
	case outer == ce && inner == notECT:
		return inner, false
	case outer == ce:
		return ce, true
	case outer == ect1 && inner == ect0:
		return ect1, true
	}
	return inner, true
}

// setECN writes the ECN of an IP packet, and changes an IPv4 checksum by as much (RFC
// 1624), so that one that was wrong stays so.
func setECN(b []byte, v6 bool, ecn byte) {
	if v6 {
		b[1] = b[1]&^(ecnBits<<4) | ecn<<4
		return
	}
	old := binary.BigEndian.Uint16(b)
	b[1] = b[1]&^ecnBits | ecn
	total := uint64(^binary.BigEndian.Uint16(b[10:])) + uint64(^old) + uint64(binary.BigEndian.Uint16(b))
	binary.BigEndian.PutUint16(b[10:], fold(total))
}
