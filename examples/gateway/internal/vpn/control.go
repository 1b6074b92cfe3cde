package vpn

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
)

// Gateways also send each other control messages through the tunnel. The first four
// bits tell them from IP packets, where these are 4 or 6.
//
//	request     0x01                                         client to server
//	assignment  0x02  prefix bits  MTU (2 bytes)  address    server to client
//	refusal     0x03  reason, for people                     server to client
//
// A request asks for the client's address inside the tunnel; the server answers
// each one, so that the exchange is a keepalive too, and a lost message costs
// nothing but the time until the next.
const (
	kindRequest    = 0x01
	kindAssignment = 0x02
	kindRefusal    = 0x03

	assignmentHeader = 4
	minMTU           = 576 // RFC 791
)

// Assignment is what a server tells a client.
type Assignment struct {
	Address netip.Prefix // the client's address, and the network inside the tunnel
	MTU     int          // the longest packet in bytes
}

// ErrControl says that a control message makes no sense.
var ErrControl = errors.New("vpn: malformed control message")

// RefusedError says that a server takes a client for who it is, and has no place for it.
type RefusedError struct{ Reason string }

// Error gives the server's reason.
func (e *RefusedError) Error() string { return fmt.Sprintf("vpn: the server refuses: %q", e.Reason) }

func isRequest(message []byte) bool { return len(message) == 1 && message[0] == kindRequest }

// parseAnswer reads what a server answers a request with; a refusal is an error.
func parseAnswer(message []byte) (Assignment, error) {
	if len(message) > 0 && message[0] == kindRefusal {
		return Assignment{}, &RefusedError{string(message[1:])}
	}
	return parseAssignment(message)
}

// isControl tells a control message from a packet.
func isControl(message []byte) bool { return len(message) == 0 || message[0]>>4 == 0 }

// appendAssignment writes an assignment.
func appendAssignment(b []byte, a Assignment) []byte {
	b = append(b, kindAssignment, byte(a.Address.Bits()))
	b = binary.BigEndian.AppendUint16(b, uint16(a.MTU))
	return append(b, a.Address.Addr().AsSlice()...)
}

// parseAssignment reads an assignment.
func parseAssignment(message []byte) (Assignment, error) {
	if len(message) < assignmentHeader || message[0] != kindAssignment {
		return Assignment{}, ErrControl
	}
	addr, ok := netip.AddrFromSlice(message[assignmentHeader:])
	if !ok {
		return Assignment{}, ErrControl
	}
	a := Assignment{netip.PrefixFrom(addr, int(message[1])), int(binary.BigEndian.Uint16(message[2:]))}
	if !a.Address.IsValid() || a.MTU < minMTU {
		return Assignment{}, ErrControl
	}
	return a, nil
}
