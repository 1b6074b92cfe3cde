package ethernet

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// Frames puts the headers in front of the IP packets of a burst that make them frames to
// neighbours, hops[i] of packet i. A packet that has a cause is passed over; one gets a
// cause that is longer than mtu, or has no neighbour, or one of which it is not known
// where it lives. It returns how many frames it made.
func (h *Host) Frames(burst []record.Datagram, hops []*Neighbour, mtu int) (made int) {
	hops = hops[:len(burst)]
	for i, end := 0, 0; i < len(burst); i = end {
		for end = i + 1; end < len(burst) && hops[end] == hops[i]; {
			end++
		}
		made += h.FramesTo(burst[i:end], hops[i], mtu)
	}
	return made
}

// FramesTo is Frames for packets that all go to one neighbour, or have none.
func (h *Host) FramesTo(burst []record.Datagram, hop *Neighbour, mtu int) (made int) {
	var mac uint64
	if hop != nil {
		mac = hop.mac.Load()
	}
	first, second := h.words(mac)
	for i := range burst {
		d := &burst[i]
		if d.Drop != record.DropNone {
			continue
		}
		if mac&known == 0 || d.Len > mtu || d.Off < HeaderSize {
			d.Drop = refusal(d, mac, mtu)
			continue
		}
		putWords(d, first, second)
		made++
	}
	return made
}

// Header is what stands in front of the packets that go to one neighbour.
type Header struct {
	First            uint64 // 8 bytes, as they lie in memory
	Second4, Second6 uint64 // 8 more, which overlap the first and end with the type of IPv4 or of IPv6
	Longest          int    // how many bytes such a packet has at most
}

// HeaderTo makes it for a neighbour, and reports false if it is not known where that lives.
func (h *Host) HeaderTo(hop *Neighbour, mtu int) (to Header, ok bool) {
	mac := hop.mac.Load()
	first, second := h.words(mac)
	return Header{inMemory(first), inMemory(second), inMemory(second ^ typeIPv4 ^ typeIPv6), mtu}, mac&known != 0
}

// inMemory is the word that lies in memory as a packet has it.
func inMemory(word uint64) uint64 {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], word)
	return binary.NativeEndian.Uint64(b[:])
}

// refusal is why a packet cannot become a frame.
func refusal(d *record.Datagram, mac uint64, mtu int) record.Drop {
	switch {
	case mac&known == 0:
		return record.DropUnknownSession
	case d.Len > mtu:
		return record.DropTooLong
	}
	return record.DropHeadroom
}

// words are the header of a frame to a hardware address: 8 bytes from the start, and 8 that
// end with the type of IPv4. They overlap.
func (h *Host) words(to uint64) (first, second uint64) {
	return to<<16 | h.own>>32, h.own<<16 | typeIPv4
}

// putWords writes the header of a frame in front of an IP packet.
func putWords(d *record.Datagram, first, second uint64) {
	header := (*[HeaderSize + 1]byte)(d.Buf[d.Off-HeaderSize:])
	if header[HeaderSize]>>4 == 6 {
		second ^= typeIPv4 ^ typeIPv6
	}
	binary.BigEndian.PutUint64(header[:], first)
	binary.BigEndian.PutUint64(header[6:], second)
	d.Off -= HeaderSize
	d.Len += HeaderSize
}
