package ipsecadapter

import (
	"encoding/binary"
	"unsafe"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// plainSize is the length of an IPv4 header, an ESP header and 8 bytes of IV.
const plainSize = ipv4Size + espHeader + 8

// frameMany frames what quickRun does for the most usual SAs, the simple ones: the datagrams
// from the start of burst on that are of no more than longest bytes, and whose descriptors were
// of the SA before. The first gets that number. It is the innermost loop of sending, and calls
// nothing. It returns how many it framed, the bytes of their payloads with padding and
// trailer, and those of the packets.
func (sa *OutboundSA) frameMany(burst []record.Datagram, packets []engine.Packet, longest int, number uint64) (n, used, inside int) {
	for n < len(burst) && n < len(packets) {
		d, p := &burst[n], &packets[n]
		size := d.Len
		body := (size + espTrailer + 3) &^ 3
		total := plainSize + body + sa.behind
		if d.Drop != record.DropNone || size < ipv6Size || size > longest || p.Key != sa.key ||
			d.Off < plainSize || len(d.Buf)-d.Off < total-plainSize {
			break
		}
		// From here on, total bytes in front of, in and behind the packet are known to be there.
		h := (*[plainSize + 8]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.Buf)), d.Off-plainSize))
		first, v6 := binary.BigEndian.Uint64(h[plainSize:]), 0
		if first>>56 != 0x45 {
			first, v6 = likeIPv4(first), 4
		}
		if int(first>>32&0xffff) != size {
			break
		}
		start, second := sa.outer.startIPv4(total, first, uint16(number))
		binary.BigEndian.PutUint64(h[:], start)
		binary.BigEndian.PutUint64(h[8:], second)
		binary.BigEndian.PutUint64(h[16:], sa.third)
		binary.BigEndian.PutUint32(h[24:], uint32(number))
		binary.BigEndian.PutUint64(h[28:], number)
		end := (*[8]byte)(unsafe.Add(unsafe.Pointer(h), plainSize+size))
		binary.BigEndian.PutUint64(end[:], shortTrailers[(body-size-espTrailer)&3+v6])
		p.Buf = (*[1 << 16]byte)(unsafe.Add(unsafe.Pointer(h), ipv4Size))[: total-ipv4Size : total-ipv4Size]
		p.Number, p.Len = number, uint32(body)
		d.Off -= plainSize
		d.Len = total
		inside += size
		used += body
		number++
		n++
	}
	return n, used, inside
}

// shortTrailers are padding of up to 3 bytes, its length and the next header: IPv4's, and
// from place 4 on IPv6's.
var shortTrailers = [8]uint64{
	trailers[0] | protoIPv4<<48, trailers[1] | protoIPv4<<40, trailers[2] | protoIPv4<<32, trailers[3] | protoIPv4<<24,
	trailers[0] | protoIPv6<<48, trailers[1] | protoIPv6<<40, trailers[2] | protoIPv6<<32, trailers[3] | protoIPv6<<24,
}
