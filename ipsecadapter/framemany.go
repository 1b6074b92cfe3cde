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
func (sa *OutboundSA) frameMany(burst []record.Datagram, packets []engine.Packet, longest int, first uint64) (n, used, inside int) {
	sums := uint64(0) // used, and above it inside
	for packets = packets[:min(len(packets), len(burst))]; n < len(packets); n++ {
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
		inner, kind := binary.BigEndian.Uint64(h[plainSize:]), size&3
		if inner>>56 != 0x45 {
			inner, kind = likeIPv4(inner), kind+4
		}
		if int(inner>>32&0xffff) != size {
			break
		}
		number := first + uint64(n)
		start, second := sa.outer.startIPv4(total, inner, uint16(number))
		binary.BigEndian.PutUint64(h[:], start)
		binary.BigEndian.PutUint64(h[8:], second)
		binary.LittleEndian.PutUint64(h[16:], sa.third)
		binary.BigEndian.PutUint32(h[24:], uint32(number))
		binary.BigEndian.PutUint64(h[28:], number)
		end := (*[8]byte)(unsafe.Add(unsafe.Pointer(h), plainSize+size))
		binary.LittleEndian.PutUint64(end[:], shortTrailers[kind&7])
		p.Buf = (*[1 << 16]byte)(unsafe.Add(unsafe.Pointer(h), ipv4Size))[: total-ipv4Size : total-ipv4Size]
		p.Number, p.Len = number, uint32(body)
		d.Off -= plainSize
		d.Len = total
		sums += uint64(size)<<32 + uint64(body)
	}
	return n, int(sums & (1<<32 - 1)), int(sums >> 32)
}

// shortTrailers are padding of up to 3 bytes, its length and the next header, in words of
// reversed bytes: IPv4's for packets of each length modulo 4, and then IPv6's.
var shortTrailers = [8]uint64{
	protoIPv4<<24 | 0x020201, protoIPv4<<16 | 0x0101, protoIPv4 << 8, protoIPv4<<32 | 0x03030201,
	protoIPv6<<24 | 0x020201, protoIPv6<<16 | 0x0101, protoIPv6 << 8, protoIPv6<<32 | 0x03030201,
}
