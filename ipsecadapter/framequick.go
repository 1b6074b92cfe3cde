package ipsecadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// run is what of a burst was framed together: datagrams side by side by the quick way, or
// one by the other.
type run struct {
	group    uint8 // its place
	position uint8 // of the first in the burst
	place    uint8 // of the first among the packets
	n        uint8
	slow     bool // it has a frame
}

// add adds a run. Field by field: a literal is made elsewhere and copied in wider words, which
// stalls.
func (s *sealing) add(group uint8, position, place, n int, slow bool) {
	r := &s.runs[s.inRuns]
	s.inRuns++
	r.group, r.position, r.place, r.n, r.slow = group, uint8(position), uint8(place), uint8(n), slow
}

// frameSimple is quickRun for the SAs that frameMany serves, as far as that goes.
func (s *sealing) frameSimple(group uint8, burst []record.Datagram, position, n int) int {
	g := &s.groups.list[group]
	framed, used, inside := g.sa.frameMany(burst, s.packets[n:], g.longest, g.first)
	if framed != 0 {
		s.count(g, framed, used, inside)
		s.add(group, position, n, framed, false)
	}
	return framed
}

// count counts packets of a group, of so many bytes with padding and trailer and so many
// without.
func (s *sealing) count(g *group[*OutboundSA], n, used, inside int) {
	s.bytes += uint64(inside)
	g.take(n, uint64(used))
}

// quickRun frames the datagrams from the start of burst on that are what most packets are: IP
// packets with room around them. It serves ESP in tunnels, far from any limit, and does the
// work of measure, write and done in one loop, for a third of the cost. What it does not
// accept it leaves as it is, for them. position is the place of burst[0], n counts what is
// framed before; it returns how many it framed.
func (s *sealing) quickRun(group uint8, burst []record.Datagram, position, n int) int {
	g, framed, used, inside := &s.groups.list[group], 0, 0, 0
	sa := g.sa
	if sa.simple {
		framed, used, inside = sa.frameMany(burst, s.packets[n:], g.longest, g.first)
	}
	number := g.first + uint64(framed)
	for i := framed; i < len(burst); i++ {
		d := &burst[i]
		size, from := d.Len, d.Off-sa.front
		if d.Drop != record.DropNone || size < ipv6Size || size > g.longest || from < 0 {
			break
		}
		body := (size + espTrailer + sa.mask) &^ sa.mask
		if body+sa.behind > len(d.Buf)-d.Off {
			break
		}
		end := d.Off + body + sa.behind
		first, next := binary.BigEndian.Uint64(d.Buf[d.Off:]), uint64(protoIPv4)
		if first>>56 != 0x45 {
			first, next = likeIPv4(first), protoIPv6
		}
		if int(first>>32&0xffff) != size {
			break
		}
		putTrailer(d.Buf[d.Off+size:end], body-size-espTrailer, next)
		if packet := d.Buf[from:end:end]; sa.plain {
			start, second := sa.outer.startIPv4(len(packet), first, uint16(number))
			putWords((*[plainSize]byte)(packet), start, second, sa.outer.last, sa.spi, number)
		} else {
			sa.outer.put(packet, first, uint16(number))
			sa.putHeader(packet[sa.outer.size:], number)
		}
		esp := d.Buf[from+sa.outer.size : end : end]
		if p := &s.packets[n+i]; p.Key == sa.key && !sa.varies {
			p.Buf, p.Number, p.Len = esp, number, uint32(body)
		} else {
			sa.describe(p, &s.prefixes[n+i], esp, number, number, body)
		}
		d.Off, d.Len = from, end-from
		number++
		used += body
		inside += size
		framed++
	}
	if framed != 0 {
		s.count(g, framed, used, inside)
		s.add(group, position, n, framed, false)
		s.odd = s.odd || sa.outer.udpAt != 0
	}
	return framed
}

// putWords writes them. The compiler puts this, startIPv4 and putTrailer into the loop.
func putWords(h *[plainSize]byte, start, second uint64, last, spi uint32, number uint64) {
	binary.BigEndian.PutUint64(h[:], start)
	binary.BigEndian.PutUint64(h[8:], second)
	binary.BigEndian.PutUint32(h[16:], last)
	binary.BigEndian.PutUint32(h[20:], spi)
	binary.BigEndian.PutUint32(h[24:], uint32(number))
	binary.BigEndian.PutUint64(h[28:], number)
}

// likeIPv4 makes of the first 8 bytes of an IPv6 packet those of an IPv4 one with the same
// length, DSCP and ECN, and 0 of others. A length that IPv4 cannot have becomes one that no
// datagram of the quick way has.
func likeIPv4(first uint64) uint64 {
	if first>>60 != 6 {
		return 0
	}
	size := min(first>>16&0xffff+ipv6Size, 1<<16-1)
	return first<<4>>56<<48 | size<<32 | flagDF
}

// longestQuick is the longest packet that fits into any carrier when it is sealed, and on
// the path.
func (sa *OutboundSA) longestQuick(mtu int) int {
	const any = 1<<16 - 1 - ipv4Size - udpSize
	if mtu == 0 || mtu > any {
		mtu = any
	}
	return sa.InnerMTU(mtu)
}

// take takes numbers and bytes of a group that is far from all limits.
func (g *group[SA]) take(packets int, bytes uint64) {
	g.first += uint64(packets)
	g.granted -= packets
	g.used.packets += uint64(packets)
	g.used.bytes += bytes
}

// finishRun settles what quickRun framed. Those that were not sealed become what they were.
func (s *sealing) finishRun(r *run, burst []record.Datagram) {
	sa := s.groups.list[r.group].sa
	for i := range burst[r.position : r.position+r.n] {
		d := &burst[int(r.position)+i]
		drop := record.DropOf(s.packets[int(r.place)+i].Status)
		if drop == record.DropNone {
			if sa.outer.udpAt != 0 {
				checkUDP(d.Content(), sa.outer.udpAt)
			}
			continue
		}
		d.Off += sa.front
		var h ipHeader
		h.parse(d.Buf[d.Off:])
		d.Len = h.total
		s.bytes -= uint64(h.total)
		s.drop(d, drop)
	}
}
