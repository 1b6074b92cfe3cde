package capture

import (
	"encoding/binary"
	"fmt"

	"github.com/gopacket/gopacket/layers"
)

// Link is the link type of a capture, as the registry of link types numbers them.
type Link uint16

// The link types whose headers this package takes apart.
const (
	Null     Link = 0   // BSD loopback: an address family in the writer's byte order
	Ethernet Link = 1   // 802.1Q and 802.1ad tags included
	Raw      Link = 101 // an IP packet and nothing before it
	Loop     Link = 108 // OpenBSD loopback: an address family, big endian
	SLL      Link = 113 // Linux cooked capture
	SLL2     Link = 276 // Linux cooked capture, version 2
)

// Older numbers of Raw that some systems write.
const (
	rawBSD  Link = 12
	rawOpen Link = 14
)

// LinkError refuses a capture of a link type that carries no IP this package can find.
type LinkError struct{ Link Link }

// Error names the link type.
func (e *LinkError) Error() string {
	return fmt.Sprintf("capture: link type %d (%s) is not supported; Ethernet, raw IP, loopback and Linux cooked captures are",
		uint16(e.Link), layers.LinkType(e.Link))
}

// known maps a file's number to a Link, or refuses it.
func known(number uint32) (Link, error) {
	switch l := Link(number); l {
	case Null, Ethernet, Raw, Loop, SLL, SLL2:
		return l, nil
	case rawBSD, rawOpen:
		return Raw, nil
	default:
		return 0, &LinkError{l}
	}
}

const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	etherVLAN = 0x8100
	etherQinQ = 0x88a8

	familyIPv4 = 2
	familyIPv6 = 30 // one of several; a reader looks at the packet
)

// Header finds the IP packet in a frame: it is what follows the first n bytes.
// It reports false for a frame that carries none, or is too short to say.
func (l Link) Header(frame []byte) (n int, ok bool) {
	switch l {
	case Raw:
		n, ok = 0, true
	case Null, Loop:
		n, ok = 4, true
	case Ethernet:
		n, ok = etherHeader(frame)
	case SLL:
		n, ok = 16, etherType(frame, 14)
	case SLL2:
		n, ok = 20, etherType(frame, 0)
	}
	return n, ok && len(frame) > n && isIP(frame[n:])
}

// etherHeader is the length of an Ethernet header with its tags, and whether
// IP follows.
func etherHeader(frame []byte) (int, bool) {
	at := 12
	for at+2 <= len(frame) {
		switch binary.BigEndian.Uint16(frame[at:]) {
		case etherVLAN, etherQinQ:
			at += 4
		default:
			return at + 2, etherType(frame, at)
		}
	}
	return at, false
}

func etherType(frame []byte, at int) bool {
	if len(frame) < at+2 {
		return false
	}
	t := binary.BigEndian.Uint16(frame[at:])
	return t == etherIPv4 || t == etherIPv6
}

func isIP(packet []byte) bool { return packet[0]>>4 == 4 || packet[0]>>4 == 6 }

// SetVersion makes a link header announce IPv4 or IPv6.
func (l Link) SetVersion(header []byte, version int) {
	ether, family := uint16(etherIPv4), byte(familyIPv4)
	if version == 6 {
		ether, family = etherIPv6, familyIPv6
	}
	switch l {
	case Ethernet, SLL:
		binary.BigEndian.PutUint16(header[len(header)-2:], ether)
	case SLL2:
		binary.BigEndian.PutUint16(header, ether)
	case Loop:
		header[3] = family
	case Null:
		setFamily(header, family)
	}
}

// setFamily keeps the byte order of a header whose family is below 256.
func setFamily(header []byte, family byte) {
	if header[0] != 0 {
		header[0] = family
	} else {
		header[3] = family
	}
}

// Reverse makes a link header that of a frame the other way.
func (l Link) Reverse(header []byte) {
	if l != Ethernet {
		return
	}
	var address [6]byte
	copy(address[:], header)
	copy(header, header[6:12])
	copy(header[6:12], address[:])
}

// String is the name of the link type.
func (l Link) String() string { return layers.LinkType(l).String() }
