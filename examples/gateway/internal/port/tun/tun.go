// Package tun is a port on a TUN device: the IP packets that the system routes
// into it. Devices are set up on Linux; elsewhere Open says that it cannot.
package tun

import (
	"errors"
	"net/netip"
)

// ErrUnsupported says that this system's TUN devices are not supported.
var ErrUnsupported = errors.New("tun: devices are supported on Linux only")

// Config says how a device is set up.
type Config struct {
	// Name is the device's name; with %d in it the system picks a number.
	Name string
	// MTU is the longest packet in bytes.
	MTU int
	// Address is the device's own address and the network behind it; the zero Prefix for none.
	Address netip.Prefix
	// Routes are further networks behind the device.
	Routes []netip.Prefix
}
