package ethernet

import (
	"encoding/binary"
	"fmt"
	"net"
)

// MAC is a hardware address.
type MAC [6]byte

// Broadcast is every host's address.
var Broadcast = MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// ParseMAC reads an address of six bytes as people write it.
func ParseMAC(s string) (MAC, error) {
	hardware, err := net.ParseMAC(s)
	if err != nil || len(hardware) != len(MAC{}) {
		return MAC{}, fmt.Errorf("ethernet: %q is no hardware address of six bytes", s)
	}
	return MAC(hardware), nil
}

// String is the address as people write it.
func (m MAC) String() string { return net.HardwareAddr(m[:]).String() }

// group reports whether the address is one of many hosts.
func (m *MAC) group() bool { return m[0]&1 != 0 }

// number is the address in the low 48 bits.
func (m MAC) number() uint64 {
	return uint64(binary.BigEndian.Uint16(m[:]))<<32 | uint64(binary.BigEndian.Uint32(m[2:]))
}

func macOf(number uint64) (m MAC) {
	binary.BigEndian.PutUint16(m[:], uint16(number>>32))
	binary.BigEndian.PutUint32(m[2:], uint32(number))
	return m
}

// Sizes in bytes.
const (
	HeaderSize = 14
	MinFrame   = 60 // without the check sequence, which devices add
)

// The types of frames that are told apart.
const (
	typeIPv4 = 0x0800
	typeARP  = 0x0806
	typeIPv6 = 0x86dd
)

// putHeader writes the header of a frame.
func putHeader(b []byte, to, from MAC, ether uint16) {
	copy(b, to[:])
	copy(b[6:], from[:])
	binary.BigEndian.PutUint16(b[12:], ether)
}
