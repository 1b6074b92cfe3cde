package tun

import (
	"fmt"
	"net"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
)

// configure gives the device its address, if it has one, brings it up, and routes to it.
func configure(name string, c Config) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	if c.Address.IsValid() {
		address := &netlink.Addr{IPNet: ipNet(c.Address)}
		if err := netlink.AddrReplace(link, address); err != nil {
			return fmt.Errorf("address %v: %w", c.Address, err)
		}
	}
	// No link-local address: its router solicitations and reports are no business of
	// the tunnel's. A kernel without IPv6 has nothing to turn off.
	_ = netlink.LinkSetIP6AddrGenMode(link, nl.IN6_ADDR_GEN_MODE_NONE)
	if err := netlink.LinkSetUp(link); err != nil {
		return err
	}
	for _, prefix := range c.Routes {
		route := &netlink.Route{LinkIndex: link.Attrs().Index, Dst: ipNet(prefix.Masked())}
		if err := netlink.RouteReplace(route); err != nil {
			return fmt.Errorf("route %v: %w", prefix, err)
		}
	}
	return nil
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), p.Addr().BitLen())}
}
