package ipsecadapter

import "encoding/binary"

// Payload is what a UDP datagram on NATTPort carries.
type Payload uint8

// The kinds (RFC 3948 section 2).
const (
	PayloadInvalid   Payload = iota // too short for any of them
	PayloadESP                      // begins with a SPI that is not zero
	PayloadIKE                      // begins with the non-ESP marker, four zero bytes
	PayloadKeepalive                // the one byte FF
)

const keepalive = 0xff

// nonESPMarker is the length of the zeros in front of a message of IKE.
const nonESPMarker = 4

// ClassifyUDP tells by its payload what a datagram on NATTPort carries. The message of
// IKE begins 4 bytes into it.
func ClassifyUDP(payload []byte) Payload {
	switch {
	case len(payload) == 1 && payload[0] == keepalive:
		return PayloadKeepalive
	case len(payload) < nonESPMarker:
		return PayloadInvalid
	case binary.BigEndian.Uint32(payload) == 0:
		return PayloadIKE
	}
	return PayloadESP
}

// AppendKeepalive appends the packet that keeps a NAT's mapping open (RFC 3948 section
// 2.3), in the headers of the SA: an IP packet InUDP, the payload alone InSocket. It
// fails with an ErrConfig for an SA without UDP or without addresses.
func (sa *OutboundSA) AppendKeepalive(dst []byte) ([]byte, error) {
	if sa.config.Carrier == InIP {
		return dst, &FieldError{"Carrier", "keepalives are for UDP"}
	}
	if sa.config.Carrier == InUDP && !sa.outer.present() {
		return dst, &FieldError{"Source", "a keepalive needs both addresses"}
	}
	at := len(dst)
	dst = append(dst, sa.outer.header[:sa.outer.size]...)
	dst = append(dst, keepalive)
	if packet := dst[at:]; len(packet) > 1 {
		sa.outer.put(packet, flagDF, 0)
		checkUDP(packet, sa.outer.ip)
	}
	return dst, nil
}
