// Package rawip is a port on a raw socket of Linux: the IPv4 packets of one protocol that
// the system receives for an address of its own, and packets from that address. What the
// system received in fragments comes whole.
package rawip

import "errors"

// ErrUnsupported says that this system's raw sockets are not supported.
var ErrUnsupported = errors.New("rawip: sockets of this kind are supported on Linux only")

// ErrAddress says that an address is none of IPv4, whose raw sockets alone show whole packets.
var ErrAddress = errors.New("rawip: not an IPv4 address")
