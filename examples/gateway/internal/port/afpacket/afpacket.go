// Package afpacket is a port on an Ethernet interface of Linux, through an
// AF_PACKET socket: it receives the IP packets that arrive on the interface and
// sends IP packets out of it, in batches. The system sees the packets too, so
// the interface wants no address of its own, or forwarding off. Offloads of the
// interface want to be off too (ethtool -K IF gro off, and tx off on a veth's peer):
// the socket shows packets as the driver does, joined or without their checksums.
package afpacket

import "errors"

// ErrUnsupported says that this system has no AF_PACKET sockets.
var ErrUnsupported = errors.New("afpacket: sockets of this kind exist on Linux only")
