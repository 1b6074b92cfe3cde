package ipsecadapter

import (
	"encoding/binary"
	"unsafe"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// admitMany admits what quickRun does for the most usual SAs, the simple ones: the datagrams
// from the start of burst on that lie between those addresses, and whose descriptors were of
// the SA before. It is the innermost loop of receiving, and calls nothing. bodies and arrivals
// are as long as packets. It returns how many it admitted, the bytes of their payloads with
// padding and trailer, and what their outer headers have of DSCP and ECN, all together.
func (sa *InboundSA) admitMany(burst []record.Datagram, packets []engine.Packet, arrivals []record.Arrival, bodies []uint16, addresses uint64) (n, used int, marks byte) {
	packets = packets[:min(len(packets), len(burst))]
	arrivals, bodies = arrivals[:len(packets)], bodies[:len(packets)]
	all := uint64(0) // the first words of the headers
	for ; n < len(packets); n++ {
		d, p := &burst[n], &packets[n]
		if d.Drop != record.DropNone || d.Len < plainSize || uint(d.Off) > uint(len(d.Buf)) || d.Len > len(d.Buf)-d.Off || p.Key != sa.key {
			break
		}
		h := (*[plainSize]byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(d.Buf)), d.Off))
		first, second, last := binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:]), uint64(binary.BigEndian.Uint32(h[16:]))
		id, end := binary.BigEndian.Uint64(h[ipv4Size:]), int(first>>32&0xffff)
		if second<<32|last != addresses || end > d.Len || uint32(id>>32) != sa.spi || !isPlainIPv4(first, second, last) {
			break
		}
		body := end - ipv4Size - sa.overhead
		if body < espTrailer || body&3 != 0 || uint32(id) == 0 {
			break
		}
		p.Buf = (*[1 << 16]byte)(unsafe.Add(unsafe.Pointer(h), ipv4Size))[: end-ipv4Size : end-ipv4Size]
		p.Number, p.Len = binary.BigEndian.Uint64(h[plainSize-8:]), uint32(body)+sa.tag
		a := &arrivals[n]
		a.Number, a.Drop = id&(1<<32-1), record.DropNone
		bodies[n] = uint16(body)
		used += body
		all |= first
	}
	return n, used, byte(all >> 48)
}
