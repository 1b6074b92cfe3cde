package ipsecadapter

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// Options of IPv4 that AH knows (RFC 4302 appendix A1).
const (
	optionEnd          = 0
	optionNone         = 1
	optionSecurity     = 130
	optionLooseRoute   = 131
	optionMoreSecurity = 133
	optionCommercial   = 134
	optionStrictRoute  = 137
	optionRouterAlert  = 148
	optionMultiDest    = 149
)

// zeroMutable zeroes in a copy of a packet's IP headers what routers on the way may change
// (RFC 4302 section 3.3.3.1.1 and appendix A), and where sending foresees what the
// receiver will see. It reports a header that is none.
func zeroMutable(headers []byte, sending bool) record.Drop {
	if headers[0]>>4 == 6 {
		return zeroMutableIPv6(headers, sending)
	}
	headers[1] = 0                               // DSCP and ECN
	headers[6], headers[7], headers[8] = 0, 0, 0 // flags, fragment offset and TTL
	headers[10], headers[11] = 0, 0              // checksum
	for rest := headers[ipv4Size:]; len(rest) > 0 && rest[0] != optionEnd; {
		n := optionLength(rest)
		if n == 0 {
			return record.DropMalformed
		}
		if !isImmutableOption(rest[0]) {
			if sending {
				foreseeRoute(headers[16:20], rest[:n])
			}
			clear(rest[:n])
		}
		rest = rest[n:]
	}
	return record.DropNone
}

// optionLength is the length of the IPv4 option at the start of rest, and 0 if it is none.
func optionLength(rest []byte) int {
	if rest[0] == optionNone {
		return 1
	}
	if len(rest) < 2 || rest[1] < 2 || int(rest[1]) > len(rest) {
		return 0
	}
	return int(rest[1])
}

// isImmutableOption tells by appendix A1; an option that is not listed there counts as
// mutable.
func isImmutableOption(kind byte) bool {
	switch kind {
	case optionNone, optionSecurity, optionMoreSecurity, optionCommercial, optionRouterAlert, optionMultiDest:
		return true
	}
	return false
}

// foreseeRoute writes the last stop of a source route that is not at its end yet.
func foreseeRoute(destination, option []byte) {
	n := len(option)
	if (option[0] == optionLooseRoute || option[0] == optionStrictRoute) && n >= 7 && int(option[2]) <= n {
		copy(destination, option[n-4:])
	}
}

func zeroMutableIPv6(headers []byte, sending bool) record.Drop {
	binary.BigEndian.PutUint32(headers, 6<<28) // no traffic class and no flow label
	headers[7] = 0                             // hop limit
	next, rest := headers[6], headers[ipv6Size:]
	for len(rest) > 0 { // the walk to AH found whole headers of these kinds alone
		n := 8 * (1 + int(rest[1]))
		drop := record.DropNone
		if next != protoRouting {
			drop = zeroOptionsIPv6(rest[2:n])
		} else if sending {
			drop = foreseeRouting(headers[24:ipv6Size], rest[:n])
		}
		if drop != record.DropNone {
			return drop
		}
		next, rest = rest[0], rest[n:]
	}
	return record.DropNone
}

// zeroOptionsIPv6 zeroes the data of options that say of themselves that they may change.
func zeroOptionsIPv6(options []byte) record.Drop {
	const pad1, mayChange = 0, 0x20
	for len(options) > 0 {
		if options[0] == pad1 {
			options = options[1:]
			continue
		}
		if len(options) < 2 || len(options)-2 < int(options[1]) {
			return record.DropMalformed
		}
		data := options[2 : 2+int(options[1])]
		if options[0]&mayChange != 0 {
			clear(data)
		}
		options = options[2+len(data):]
	}
	return record.DropNone
}

// foreseeRouting orders the addresses of a routing header as its last stop will see them:
// each stop exchanges the destination for the next address (RFC 8200 section 4.4 and RFC
// 6275 section 6.4). Of other types than these two nobody can tell.
func foreseeRouting(destination, header []byte) record.Drop {
	const sourceRoute, mobile, segment = 0, 2, 16
	left, addresses := int(header[3]), header[8:]
	switch {
	case left == 0:
		return record.DropNone
	case header[2] != sourceRoute && header[2] != mobile:
		return record.DropType
	case left*segment > len(addresses) || len(addresses)%segment != 0:
		return record.DropMalformed
	}
	header[3] = 0
	for at := len(addresses) - left*segment; at < len(addresses); at += segment {
		var stop [segment]byte
		copy(stop[:], addresses[at:])
		copy(addresses[at:], destination)
		copy(destination, stop[:])
	}
	return record.DropNone
}
