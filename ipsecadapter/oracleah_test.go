package ipsecadapter

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

// oracleAH is AH one packet at a time over the standard library.
type oracleAH struct {
	spi  uint32
	esn  bool
	icv  int // IV of GMAC included
	mac  func(covered, iv []byte) []byte
	gmac bool
}

func newOracleAH(t testing.TB, a *Association) *oracleAH {
	t.Helper()
	o := &oracleAH{spi: a.SPI, esn: a.ESN}
	if name := a.Transform.String(); strings.HasSuffix(name, "gmac") {
		n := len(a.Key) - 4
		b, err := aes.NewCipher(a.Key[:n])
		must(t, err)
		c, err := cipher.NewGCM(b)
		must(t, err)
		o.gmac, o.icv = true, 24
		o.mac = func(covered, iv []byte) []byte {
			return append(bytes.Clone(iv), c.Seal(nil, append(bytes.Clone(a.Key[n:]), iv...), nil, covered)...)
		}
		return o
	}
	h, ok := oracleHashes[a.Transform.String()]
	if !ok || h.key != len(a.Key) {
		t.Fatalf("%v: no such oracle for %d bytes", a.Transform, len(a.Key))
	}
	o.icv = h.icv
	o.mac = func(covered, _ []byte) []byte {
		m := hmac.New(h.new, a.Key)
		m.Write(covered)
		return m.Sum(nil)[:h.icv]
	}
	return o
}

// put inserts AH behind the first split bytes of a packet and gives the packet right lengths;
// field is where the headers name what follows them.
func (o *oracleAH) put(packet []byte, split, field int, number uint64) []byte {
	size := 12 + o.icv
	if packet[0]>>4 == 6 {
		size = (size + 7) / 8 * 8
	}
	ah := make([]byte, size)
	ah[0], ah[1] = packet[field], byte(size/4-2)
	binary.BigEndian.PutUint32(ah[4:], o.spi)
	binary.BigEndian.PutUint32(ah[8:], uint32(number))
	for i := 12 + o.icv; i < size; i++ {
		ah[i] = 0xd0 + byte(i) // a peer's padding may be anything
	}
	out := append(append(bytes.Clone(packet[:split]), ah...), packet[split:]...)
	out[field] = 51
	if out[0]>>4 == 6 {
		binary.BigEndian.PutUint16(out[4:], uint16(len(out)-40))
	} else {
		binary.BigEndian.PutUint16(out[2:], uint16(len(out)))
		fixChecksum(out)
	}
	copy(out[split+12:], o.value(out, split, number, []byte{9, 8, 7, 6, 5, 4, byte(number >> 8), byte(number)}))
	return out
}

// value is the ICV of a packet whose AH begins at that place.
func (o *oracleAH) value(packet []byte, at int, number uint64, iv []byte) []byte {
	covered := immutable(packet[:at])
	rest := bytes.Clone(packet[at:])
	clear(rest[12 : 12+o.icv])
	covered = append(covered, rest...)
	if o.esn {
		covered = binary.BigEndian.AppendUint32(covered, uint32(number>>32))
	}
	return o.mac(covered, iv)
}

// check verifies a packet and returns what AH says follows it, and its whole length.
func (o *oracleAH) check(packet []byte, at int, number uint64) (next byte, size int, err error) {
	size = 12 + o.icv
	if packet[0]>>4 == 6 {
		size = (size + 7) / 8 * 8
	}
	ah := packet[at:]
	if int(ah[1]) != size/4-2 || ah[2]|ah[3] != 0 || binary.BigEndian.Uint32(ah[4:]) != o.spi ||
		binary.BigEndian.Uint32(ah[8:]) != uint32(number) {
		return 0, 0, fmt.Errorf("AH %x", ah[:12])
	}
	if want := o.value(packet, at, number, ah[12:20]); !bytes.Equal(ah[12:12+o.icv], want) {
		return 0, 0, fmt.Errorf("ICV %x, want %x", ah[12:12+o.icv], want)
	}
	return ah[0], size, nil
}

// immutable is what of IP headers AH covers, by the tables of RFC 4302 appendix A, as the last
// receiver has them.
func immutable(headers []byte) []byte {
	h := bytes.Clone(headers)
	if h[0]>>4 == 6 {
		h[0], h[1], h[2], h[3], h[7] = 0x60, 0, 0, 0, 0
		for next, at := h[6], 40; at < len(h); {
			size := 8 + 8*int(h[at+1])
			if next != 43 {
				for i := at + 2; i < at+size; {
					if h[i] == 0 {
						i++
						continue
					}
					n := int(h[i+1])
					if h[i]>>5&1 == 1 {
						copy(h[i+2:i+2+n], make([]byte, n))
					}
					i += 2 + n
				}
			}
			next, at = h[at], at+size
		}
		return h
	}
	for _, i := range []int{1, 6, 7, 8, 10, 11} {
		h[i] = 0
	}
	keep := map[byte]bool{130: true, 133: true, 134: true, 148: true, 149: true}
	for i := 20; i < len(h) && h[i] != 0; {
		n := 1
		if h[i] != 1 {
			n = int(h[i+1])
			if !keep[h[i]] {
				copy(h[i:], make([]byte, n))
			}
		}
		i += n
	}
	return h
}

// ahWay is one way to carry a packet under AH.
type ahWay struct {
	name   string
	mode   Mode
	esn    bool
	outer  [2]netip.Addr
	packet []byte // what is protected
	split  int    // transport mode: where AH goes
	field  int    // transport mode: where the headers name what follows
}

func (w *ahWay) association(t Transform) Association {
	a := Association{Protocol: AH, SPI: 0xa4a4a4a4, Transform: t, Key: keyOf(t), Mode: w.mode, ESN: w.esn}
	if w.mode == Tunnel {
		a.Source, a.Destination = w.outer[0], w.outer[1]
	}
	return a
}

// ahWays are tunnels of every pair of families, and transport mode behind plain headers,
// options and extension headers.
func ahWays(size int) (all []ahWay) {
	v4, v6 := udpPacket(host4[0], host4[1], pattern(size)), udpPacket(host6[0], host6[1], pattern(size))
	for _, esn := range []bool{false, true} {
		for _, inner := range [][]byte{v4, v6} {
			for _, outer := range [][2]netip.Addr{gateway4, gateway6} {
				all = append(all, ahWay{fmt.Sprintf("tunnel over %v of %d, ESN %v", outer[0], inner[0]>>4, esn), Tunnel, esn, outer, inner, 0, 0})
			}
		}
		for name, options := range ahOptions() {
			packet := withOptions(v4, options)
			all = append(all, ahWay{fmt.Sprintf("IPv4 with %s, ESN %v", name, esn), Transport, esn, host4, packet, 20 + len(options), 9})
		}
		for name, chain := range ahChains() {
			packet, split, field := withChain(v6, chain...)
			all = append(all, ahWay{fmt.Sprintf("IPv6 with %s, ESN %v", name, esn), Transport, esn, host6, packet, split, field})
		}
	}
	return all
}

// ahOptions are options of IPv4 in whole words.
func ahOptions() map[string][]byte {
	return map[string][]byte{
		"no option":          {},
		"router alert":       {148, 4, 0, 0},
		"record route":       {7, 7, 4, 0, 0, 0, 0, 0},
		"timestamp and NOP":  {1, 68, 8, 5, 0, 1, 2, 3, 4, 0, 0, 0},
		"security":           {130, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0},
		"an unknown one":     {222, 6, 1, 2, 3, 4, 0, 0},
		"a done loose route": {131, 7, 8, 10, 9, 8, 7, 0},
	}
}

func withOptions(packet, options []byte) []byte {
	out := append(append(bytes.Clone(packet[:20]), options...), packet[20:]...)
	out[0] = 0x45 + byte(len(options)/4)
	binary.BigEndian.PutUint16(out[2:], uint16(len(out)))
	fixChecksum(out)
	return out
}

// extension is a header of IPv6 without its next-header byte.
type extension struct {
	kind byte
	rest []byte
}

// ahChains are extension headers that AH stands behind.
func ahChains() map[string][]extension {
	hop := extension{0, []byte{1, 0x05, 2, 0, 0, 0x3e, 8, 1, 2, 3, 4, 5, 6, 7, 8}}     // router alert; one that may change
	route := extension{43, append([]byte{2, 0, 0, 0, 0, 0, 0}, host6[0].AsSlice()...)} // its stops are all behind
	options := extension{60, []byte{0, 0x0b, 1, 7, 0x01, 1, 0xff}}                     // one that may not change; PadN
	return map[string][]extension{
		"no header": nil, "hop-by-hop options": {hop}, "hop-by-hop options and a route": {hop, route},
		"options before a route": {options, route}, "all": {hop, options, route},
	}
}

// withChain puts headers into a packet, and says where what follows them begins and which byte
// names it.
func withChain(packet []byte, chain ...extension) (out []byte, split, field int) {
	out, field = bytes.Clone(packet[:40]), 6
	for _, x := range chain {
		next := out[field]
		out[field] = x.kind
		field = len(out)
		out = append(append(out, next), x.rest...)
	}
	split = len(out)
	out = append(out, packet[40:]...)
	binary.BigEndian.PutUint16(out[4:], uint16(len(out)-40))
	return out, split, field
}
