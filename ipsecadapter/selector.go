package ipsecadapter

import (
	"encoding/binary"
	"fmt"
	"net/netip"
)

// Selector is a set of packets (RFC 4301 section 4.4.1.1): those of an SA are checked
// against it when they come out of it. The zero value has every packet.
type Selector struct {
	Source, Destination           netip.Prefix // the zero value is any address
	Protocol                      uint8        // 0 is any
	SourcePorts, DestinationPorts PortRange
}

// PortRange is a range of ports, both ends included. The zero value is any port, and
// what has none.
type PortRange struct{ Low, High uint16 }

func checkSelectors(selectors []Selector) error {
	for i := range selectors {
		s := &selectors[i]
		for _, r := range []PortRange{s.SourcePorts, s.DestinationPorts} {
			if r.Low > r.High {
				return &FieldError{"Selectors", fmt.Sprintf("number %d has an empty range of ports", i)}
			}
			if r != (PortRange{}) && !hasPorts(s.Protocol) {
				return &FieldError{"Selectors", fmt.Sprintf("number %d has ports, and no protocol that has", i)}
			}
		}
	}
	return nil
}

// flow is what selectors are compared with.
type flow struct {
	source, destination netip.Addr
	protocol            byte
	ports               []byte // source and destination, or nil where they cannot be seen
}

// flowOf reads an IP packet that parse accepted and that is as long as it says.
func flowOf(b []byte, h *ipHeader) flow {
	from, to := addresses(b, h.v6)
	f := flow{protocol: h.protocol}
	f.source, _ = netip.AddrFromSlice(from)
	f.destination, _ = netip.AddrFromSlice(to)
	at := h.size
	var first bool
	if h.v6 {
		f.protocol, at, first = upperLayer(b, h.protocol)
	} else {
		first = binary.BigEndian.Uint16(b[6:])&0x1fff == 0
	}
	if first && hasPorts(f.protocol) && len(b)-at >= 4 {
		f.ports = b[at : at+4]
	}
	return f
}

// upperLayer follows the extension headers of an IPv6 packet to what they carry. In a
// fragment that is not the first, that is not there to be seen.
func upperLayer(b []byte, next byte) (protocol byte, at int, first bool) {
	at, first = ipv6Size, true
	for first && isExtension(next) && len(b)-at >= 8 {
		size := 8
		if next == protoFragment {
			first = binary.BigEndian.Uint16(b[at+2:])&0xfff8 == 0
		} else {
			size = 8 * (1 + int(b[at+1]))
		}
		next = b[at]
		at = min(at+size, len(b))
	}
	return next, at, first
}

func isExtension(next byte) bool {
	return next == protoHopByHop || next == protoRouting || next == protoDestinations || next == protoFragment
}

func hasPorts(protocol byte) bool {
	switch protocol {
	case protoTCP, protoUDP, protoDCCP, protoSCTP, protoUDPLite:
		return true
	}
	return false
}

func (s *Selector) has(f *flow) bool {
	return (!s.Source.IsValid() || s.Source.Contains(f.source)) &&
		(!s.Destination.IsValid() || s.Destination.Contains(f.destination)) &&
		(s.Protocol == 0 || s.Protocol == f.protocol) &&
		s.SourcePorts.has(f.ports, 0) && s.DestinationPorts.has(f.ports, 2)
}

func (r PortRange) has(ports []byte, at int) bool {
	if r == (PortRange{}) {
		return true
	}
	if ports == nil {
		return false
	}
	port := binary.BigEndian.Uint16(ports[at:])
	return r.Low <= port && port <= r.High
}

// selects reports whether one of the selectors has the packet; without any, every one is had.
func selects(selectors []Selector, b []byte, h *ipHeader) bool {
	if len(selectors) == 0 {
		return true
	}
	f := flowOf(b, h)
	for i := range selectors {
		if selectors[i].has(&f) {
			return true
		}
	}
	return false
}
