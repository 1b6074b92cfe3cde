package ipsecadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// isPlain reports whether most of the SA's packets may go the quick way: ESP in a tunnel, behind
// an IPv4 header or in a socket.
func (sa *InboundSA) isPlain() bool {
	return sa.protocol == ESP && sa.mode == Tunnel && sa.carrier != InUDP
}

// quickRun admits the datagrams from the start of burst on that are what most are: ESP of
// the SA of the first, of which l tells, behind the same addresses. It does the work of locate,
// assign and describe in one loop, for less than half of the cost. What it does not accept
// it leaves to them. It returns how many it admitted, from that place on.
func (s *opening) quickRun(l *located, g *group[*InboundSA], burst []record.Datagram, place int) (n int, marks byte) {
	sa, addresses, used := g.sa, l.addresses, 0
	if sa.simple {
		n, used, marks = sa.admitMany(burst, s.packets[place:], s.arrivals[place:], s.bodies[place:], addresses)
	}
	for n < len(burst) {
		d := &burst[n]
		if d.Drop != record.DropNone || uint(d.Off) > uint(len(d.Buf)) {
			break
		}
		b := d.Buf[d.Off:]
		if uint(d.Len) > uint(len(b)) || d.Len < leastPlain {
			break
		}
		from, end, id := 0, d.Len, binary.BigEndian.Uint64(b)
		if sa.carrier == InIP {
			h := (*[leastPlain]byte)(b)
			first, second, last := id, binary.BigEndian.Uint64(h[8:]), uint64(binary.BigEndian.Uint32(h[16:]))
			from, end, id = ipv4Size, int(first>>32&0xffff), binary.BigEndian.Uint64(h[ipv4Size:])
			if second<<32|last != addresses || end > d.Len || !isPlainIPv4(first, second, last) {
				break
			}
			marks |= byte(first >> 48)
		}
		body := end - from - sa.overhead
		if body < espTrailer || body&(sa.traits.align-1) != 0 || end > ciphers.MaxPayload || uint32(id>>32) != sa.spi {
			break
		}
		esp, number := b[from:end:end], sa.whole(uint32(id), g.first)
		if number == 0 {
			break
		}
		iv := number
		if sa.readsIV {
			iv = binary.BigEndian.Uint64(esp[espHeader:])
		}
		if p := &s.packets[place+n]; p.Key == sa.key && !sa.varies {
			p.Buf, p.Number, p.Len = esp, iv, uint32(body)+sa.tag
		} else {
			sa.describe(p, &s.prefixes[place+n], esp, number, iv, body)
		}
		a := &s.arrivals[place+n]
		a.Number, a.Drop = number, record.DropNone
		s.bodies[place+n] = uint16(body)
		used += body
		n++
	}
	g.bytes += uint64(used)
	return n, marks
}

// leastPlain is the length of an IPv4 header without options and an ESP header.
const leastPlain = ipv4Size + espHeader

// isPlainIPv4 reports whether an IPv4 header of 20 bytes, in words, is right, in front of ESP and
// of no fragment. The compiler puts it into the loop.
func isPlainIPv4(first, second, last uint64) bool {
	return first&(0xff<<56|anyFragment) == 0x45<<56 && byte(second>>48) == protoESP && rightWords(first, second, last)
}

// finishRun delivers what quickRun admitted. What is no packet of a usual shape goes to
// deliver, which says why, or takes it.
func (in *Inbound) finishRun(s *opening, r *arrived, burst []record.Datagram) {
	g := &s.groups.list[r.group]
	bodies := s.bodies[r.place : r.place+r.n]
	for i := 0; i < len(bodies); i++ {
		good := s.goodFrom(int(r.place)+i, len(bodies)-i, g)
		n, bytes := g.sa.deliverRun(burst[i:i+good], bodies[i:], r.marks)
		s.done += n
		s.bytes += uint64(bytes)
		if i += n; i == len(bodies) {
			return
		}
		drop := s.verdict(int(r.place)+i, g)
		if drop == record.DropNone {
			drop = in.deliverAgain(&s.located[r.place], g.sa, &burst[i])
		}
		s.count(&burst[i], drop)
	}
}

// goodFrom is how many of the n packets of a run from a place on are to be delivered, side by
// side. Where the lifetime ends in the burst, each is asked after by itself.
func (s *opening) goodFrom(place, n int, g *group[*InboundSA]) (good int) {
	if !g.far {
		return 0
	}
	if s.clean {
		return n
	}
	for good < n && s.arrivals[s.slots[place+good]].Drop == record.DropNone {
		good++
	}
	return good
}

// deliverRun makes of the datagrams from the start of burst on the packets inside, until one is
// of no usual shape, or wrong. bodies are their lengths, marks those of quickRun. It returns how
// many it delivered, and their bytes.
func (sa *InboundSA) deliverRun(burst []record.Datagram, bodies []uint16, marks byte) (n, bytes int) {
	start := sa.lead
	if sa.carrier == InIP {
		start += ipv4Size
	}
	for n < len(burst) && n < len(bodies) {
		d, body := &burst[n], int(bodies[n])
		first, last := wordsAt(d.Buf, d.Off+start, body)
		padding, want := int(last>>8&0xff), uint64(protoIPv4)
		if first>>56 != 0x45 {
			first, want = likeIPv4(first), protoIPv6
		}
		size := int(first >> 32 & 0xffff)
		if last&0xff != want || size < ipv4Size || size > body-espTrailer-padding {
			break
		}
		if !isShortPadding(last>>16, padding) && !sa.isLongPadding(d, start+body, padding) {
			break
		}
		if marks&1 != 0 && !keepsECN(d.Buf[d.Off+1], byte(first>>48)) {
			break
		}
		if len(sa.selectors) != 0 && !sa.admits(d.Buf[d.Off+start:][:size]) {
			break
		}
		d.Off += start
		d.Len = size
		bytes += size
		n++
	}
	return n, bytes
}

// wordsAt are the first 8 of n bytes from at on and the last 8, which begin no later than 8 in
// front of them.
func wordsAt(b []byte, at, n int) (first, last uint64) {
	words := b[at-8 : at+n]
	return binary.BigEndian.Uint64(b[at : at+8]), binary.BigEndian.Uint64(words[n:])
}

// isLongPadding reports whether padding of n bytes, in front of a trailer that ends at end, is
// right.
func (sa *InboundSA) isLongPadding(d *record.Datagram, end, n int) bool {
	return n > 6 && isPadding(d.Buf[d.Off:d.Off+end-espTrailer], n)
}

// isShortPadding reports whether the low n bytes of a word are padding. They are at most 6.
func isShortPadding(last uint64, n int) bool {
	wrong := last ^ 0x010203040506>>((48-8*n)&63)
	return n <= 6 && wrong<<((56-8*n)&63)<<8 == 0
}

// keepsECN reports whether innerECN leaves a packet's ECN as it is.
func keepsECN(outer, inner byte) bool { return outer&1 == 0 || (outer^inner)&ecnBits == 0 }

// admits reports whether one of the SA's selectors has the packet.
func (sa *InboundSA) admits(packet []byte) bool {
	var h ipHeader
	return h.parse(packet) == record.DropNone && selects(sa.selectors, packet, &h)
}

// deliverAgain finds out once more where ESP lies, which opening left in place, and delivers.
func (in *Inbound) deliverAgain(l *located, sa *InboundSA, d *record.Datagram) record.Drop {
	if drop := in.locate(l, d); drop != record.DropNone {
		return drop
	}
	l.sa = sa
	l.measure()
	return l.deliver(d)
}
