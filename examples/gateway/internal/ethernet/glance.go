package ethernet

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// quickFrame is how much of a frame a Glance looks at: the header, and that of an IPv4 packet
// without options.
const quickFrame = HeaderSize + ipv4Size

// plainType is the type of a frame and the first byte of such a packet.
const plainType = typeIPv4<<8 | 0x45

// MaxOwn is how many IPv4 addresses a host has at most that is to have a Glance.
const MaxOwn = 16

// Glance is what a host knows its own frames by, in words. It takes those of a burst that are
// what most are, and leaves all others to Take as they are.
type Glance struct {
	MAC   uint64         // the host's, in the low 48 bits
	Own   [MaxOwn]uint32 // its IPv4 addresses
	Owns  int32          // how many they are; -1 takes nothing, since the host takes everything or has too many
	Aging bool           // the hop limits of what passes are counted down
}

// Glance makes it, with or without aging.
func (h *Host) Glance(aging bool) Glance {
	g := Glance{MAC: h.own, Aging: aging}
	for _, p := range h.config.Addresses {
		if !p.Addr().Is4() {
			continue
		}
		if g.Owns == MaxOwn {
			g.Owns = -1
			return g
		}
		own := p.Addr().As4()
		g.Own[g.Owns] = binary.BigEndian.Uint32(own[:])
		g.Owns++
	}
	if !h.HasAddress() {
		g.Owns = -1
	}
	return g
}

func (g *Glance) owns(address uint32) bool {
	for _, own := range g.Own[:g.Owns] {
		if own == address {
			return true
		}
	}
	return false
}

// Passed is what Transit took: N frames, the bytes of their packets, and whether those are
// all for one address.
type Passed struct {
	N, Bytes int
	One      bool
}

// Transit takes the frames from the start of burst on that carry IPv4 packets to elsewhere,
// notes their lengths and, with Aging, counts their hop limits down. It does the work of
// Host.Take and of Age in one loop.
func (g *Glance) Transit(burst []record.Datagram, sizes []int) (p Passed) {
	if g.Owns < 0 {
		return p
	}
	other, one := uint32(0), true // an address that is not the host's; none has 0.0.0.0
	n, bytes := 0, 0
	for sizes = sizes[:len(burst)]; n < len(burst); n++ {
		d := &burst[n]
		if d.Drop != record.DropNone || d.Len < quickFrame {
			break
		}
		f := (*[quickFrame]byte)(d.Buf[d.Off:])
		a, b, to := binary.BigEndian.Uint64(f[14:]), binary.BigEndian.Uint64(f[22:]), binary.BigEndian.Uint32(f[30:])
		size := int(a >> 32 & 0xffff)
		if binary.BigEndian.Uint64(f[:])>>16 != g.MAC || binary.BigEndian.Uint32(f[12:])>>8 != plainType ||
			size < ipv4Size || size > d.Len-HeaderSize {
			break
		}
		if to != other && g.owns(to) {
			break
		}
		if g.Aging {
			if b>>56 <= 1 || !rightWords(a, b, to) {
				break
			}
			binary.BigEndian.PutUint64(f[22:], ageWord(b))
		}
		if to != other {
			other, one = to, one && n == 0
		}
		d.Off += HeaderSize
		d.Len = size
		sizes[n] = size
		bytes += size
	}
	return Passed{n, bytes, one}
}

// Local takes the frames from the start of burst on that carry IPv4 packets to the host
// itself, other than ICMP, as Host.Take does, and returns how many it took.
func (g *Glance) Local(burst []record.Datagram) (n int) {
	if g.Owns < 0 {
		return 0
	}
	for ; n < len(burst); n++ {
		d := &burst[n]
		if d.Drop != record.DropNone || d.Len < quickFrame {
			break
		}
		f := (*[quickFrame]byte)(d.Buf[d.Off:])
		size := int(binary.BigEndian.Uint16(f[16:]))
		if binary.BigEndian.Uint64(f[:])>>16 != g.MAC || binary.BigEndian.Uint32(f[12:])>>8 != plainType || f[23] == protoICMP ||
			size < ipv4Size || size > d.Len-HeaderSize || !g.owns(binary.BigEndian.Uint32(f[30:])) {
			break
		}
		d.Off, d.Len = d.Off+HeaderSize, size
	}
	return n
}
