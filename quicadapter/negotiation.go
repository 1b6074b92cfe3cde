package quicadapter

import (
	"encoding/binary"
	"fmt"
)

// AppendVersionNegotiation appends a Version Negotiation packet to dst (RFC 9000 section
// 17.2.1). destination and source are the source and destination of the packet that it
// answers, each up to 255 bytes, since they may be of a version that is not known here.
// first gives the unused bits of the first byte, which should be arbitrary.
func AppendVersionNegotiation(dst []byte, first byte, destination, source []byte, versions ...Version) ([]byte, error) {
	if max(len(destination), len(source)) > 255 || len(versions) == 0 {
		return dst, fmt.Errorf("%w: connection IDs of %d and %d bytes, %d versions",
			ErrConfig, len(destination), len(source), len(versions))
	}
	dst = append(dst, longForm|fixedBit|first)
	dst = appendIDs(append(dst, 0, 0, 0, 0), destination, source)
	for _, v := range versions {
		dst = binary.BigEndian.AppendUint32(dst, uint32(v))
	}
	return dst, nil
}

// Offers reports whether a VersionNegotiation packet lists a version.
func (h *Header) Offers(v Version) bool {
	for list := h.Versions; len(list) >= 4; list = list[4:] {
		if Version(binary.BigEndian.Uint32(list)) == v {
			return true
		}
	}
	return false
}
