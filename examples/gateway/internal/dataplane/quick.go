package dataplane

import (
	"encoding/binary"
	"math/bits"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// quickFrame is how much of a frame the quick way looks at: the header, and that of an
// IPv4 packet without options.
const quickFrame = ethernet.HeaderSize + ipv4Size

// plainType is the type of a frame and the first byte of such a packet.
const plainType = 0x0800_45

const protoICMP = 1

// quick is what a side knows its own frames by, in words. The quick way takes the frames
// of a burst that are what most are, and leaves all others to ethernet.Host as they are.
type quick struct {
	mac uint64   // the host's, in the low 48 bits
	own []uint32 // its IPv4 addresses
	off bool     // the host has no address and takes everything
}

func newQuick(h *ethernet.Host) quick {
	q := quick{off: !h.HasAddress()}
	mac := h.MAC()
	q.mac = uint64(binary.BigEndian.Uint16(mac[:]))<<32 | uint64(binary.BigEndian.Uint32(mac[2:]))
	for _, p := range h.Addresses() {
		if p.Addr().Is4() {
			own := p.Addr().As4()
			q.own = append(q.own, binary.BigEndian.Uint32(own[:]))
		}
	}
	return q
}

func (q *quick) owns(address uint32) bool {
	for _, own := range q.own {
		if own == address {
			return true
		}
	}
	return false
}

// passed is what transit took: n frames, the bytes of their packets, and whether those are
// all for one address.
type passed struct {
	n, bytes int
	one      bool
}

// transit takes the frames from the start of burst on that carry IPv4 packets to
// elsewhere, notes their lengths and, with aging, counts their hop limits down. It does
// the work of ethernet.Host.Take and of age in one loop.
func (q *quick) transit(burst []record.Datagram, sizes []int, aging bool) (p passed) {
	if q.off {
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
		if binary.BigEndian.Uint64(f[:])>>16 != q.mac || binary.BigEndian.Uint32(f[12:])>>8 != plainType ||
			size < ipv4Size || size > d.Len-ethernet.HeaderSize {
			break
		}
		if to != other {
			if q.owns(to) {
				break
			}
			other, one = to, one && n == 0
		}
		if aging {
			if b>>56 <= 1 || !rightWords(a, b, to) {
				break
			}
			binary.BigEndian.PutUint64(f[22:], ageWord(b))
		}
		d.Off += ethernet.HeaderSize
		d.Len = size
		sizes[n] = size
		bytes += size
	}
	return passed{n, bytes, one}
}

// local takes the frames from the start of burst on that carry IPv4 packets to the host
// itself, other than ICMP, as ethernet.Host.Take does, and returns how many it took.
func (q *quick) local(burst []record.Datagram) (n int) {
	for ; n < len(burst); n++ {
		d := &burst[n]
		if d.Drop != record.DropNone || d.Len < quickFrame {
			break
		}
		f := (*[quickFrame]byte)(d.Buf[d.Off:])
		size := int(binary.BigEndian.Uint16(f[16:]))
		if binary.BigEndian.Uint64(f[:])>>16 != q.mac || binary.BigEndian.Uint32(f[12:])>>8 != plainType || f[23] == protoICMP ||
			size < ipv4Size || size > d.Len-ethernet.HeaderSize || !q.owns(binary.BigEndian.Uint32(f[30:])) {
			break
		}
		d.Off, d.Len = d.Off+ethernet.HeaderSize, size
	}
	return n
}

// rightWords reports whether the checksum of an IPv4 header of 20 bytes is right. With it,
// the words add up to 0 in ones' complement of 16 bits (RFC 1071), which is to say modulo
// 2^16-1, which divides 2^64-1.
func rightWords(a, b uint64, c uint32) bool {
	sum, carry := bits.Add64(a, b, 0)
	sum, carry = bits.Add64(sum, uint64(c), carry)
	return (sum+carry)%0xffff == 0
}

// ageWord counts the hop limit down in the second 8 bytes of an IPv4 header: hop limit,
// protocol, checksum, source. What shrinks by 0x100 has a checksum that grows by as much
// (RFC 1624), most often without a carry.
func ageWord(b uint64) uint64 {
	if uint16(b>>32) < 0xfeff {
		return b - 1<<56 + 0x100<<32
	}
	sum := uint32(^uint16(b>>32)) + 0xfeff
	return (b-1<<56)&^(0xffff<<32) | uint64(^uint16(sum+sum>>16))<<32
}
