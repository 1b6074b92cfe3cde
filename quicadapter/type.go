package quicadapter

import (
	"fmt"

	"github.com/sealburst/sealburst/record/keysched"
)

// Version is a version of QUIC as long headers carry it.
type Version = keysched.QUICVersion

// The versions that are protected here.
const (
	Version1 = keysched.QUIC1 // RFC 9000
	Version2 = keysched.QUIC2 // RFC 9369
)

// Type is the type of a packet. The first four have keys. The zero value is invalid.
type Type uint8

// The types (RFC 9000 section 17).
const (
	Initial Type = iota + 1
	ZeroRTT
	Handshake
	OneRTT             // the only one with a short header
	Retry              // no keys, no number; see RetryTags
	VersionNegotiation // no keys, no number; see Header.Versions
	OtherVersion       // a long header of a version that is not protected here
	numTypes
)

// keyTypes bounds the types that have keys.
const keyTypes = int(Retry)

var typeNames = [numTypes]string{
	Initial: "Initial", ZeroRTT: "0-RTT", Handshake: "Handshake", OneRTT: "1-RTT",
	Retry: "Retry", VersionNegotiation: "Version Negotiation", OtherVersion: "other version",
}

// String is the name that the RFCs use.
func (t Type) String() string {
	if t == 0 || t >= numTypes {
		return fmt.Sprintf("type(%d)", uint8(t))
	}
	return typeNames[t]
}

// HasKeys reports whether packets of the type are protected with keys.
func (t Type) HasKeys() bool { return t > 0 && int(t) < keyTypes }

// The packet number spaces (RFC 9000 section 12.3).
const (
	spaceInitial = iota
	spaceHandshake
	spaceApplication
	numSpaces
)

// space is the number space of a type that has keys.
func (t Type) space() int {
	switch t {
	case Initial:
		return spaceInitial
	case Handshake:
		return spaceHandshake
	}
	return spaceApplication
}

// The long packet types of version 1 (RFC 9000 section 17.2) and version 2 (RFC 9369
// section 3.2), by their two bits.
var (
	longTypes1 = [4]Type{Initial, ZeroRTT, Handshake, Retry}
	longTypes2 = [4]Type{Retry, Initial, ZeroRTT, Handshake}
)

// longType is the type that the first byte of a long header says, or 0 for a version
// that is not protected here.
func longType(v Version, first byte) Type {
	switch v {
	case Version1:
		return longTypes1[first>>4&3]
	case Version2:
		return longTypes2[first>>4&3]
	}
	return 0
}

// longBits are the two type bits in their place.
func longBits(v Version, t Type) byte {
	bits := byte(t - Initial) // Initial, 0-RTT, Handshake are consecutive in both versions
	if t == Retry {
		bits = 3
	}
	if v == Version2 {
		bits = (bits + 1) & 3
	}
	return bits << 4
}

// Side is the role in a connection. The zero value is invalid.
type Side uint8

// The roles.
const (
	Client Side = iota + 1
	Server
)
