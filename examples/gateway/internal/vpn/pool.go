package vpn

import (
	"errors"
	"net/netip"
)

// ErrPoolEmpty says that every address of the inner network is in use.
var ErrPoolEmpty = errors.New("vpn: no address is left for another client")

// pool gives each identity an address of its own, and the same one again.
type pool struct {
	network netip.Prefix // the server's own address, and its network
	of      map[string]netip.Addr
	holder  map[netip.Addr]string
	last    netip.Addr // that was given
}

func newPool(network netip.Prefix) *pool {
	return &pool{
		network: network, of: map[string]netip.Addr{}, holder: map[netip.Addr]string{},
		last: network.Masked().Addr(),
	}
}

// assign gives an identity its address. When none is free, it takes that of an
// identity that is not online.
func (p *pool) assign(identity string, online func(netip.Addr) bool) (netip.Addr, error) {
	if addr, ok := p.of[identity]; ok {
		return addr, nil
	}
	if addr, ok := p.free(); ok {
		p.hold(addr, identity)
		return addr, nil
	}
	for addr, holder := range p.holder {
		if !online(addr) {
			delete(p.of, holder)
			p.hold(addr, identity)
			return addr, nil
		}
	}
	return netip.Addr{}, ErrPoolEmpty
}

func (p *pool) hold(addr netip.Addr, identity string) {
	p.of[identity], p.holder[addr] = addr, identity
}

// maxClients bounds the addresses that are given out, whatever the network's size.
const maxClients = 1 << 16

// free finds the next address that nobody ever had.
func (p *pool) free() (netip.Addr, bool) {
	for len(p.holder) < maxClients {
		addr := p.last.Next()
		if !p.network.Contains(addr) || p.broadcast(addr) {
			return netip.Addr{}, false
		}
		p.last = addr
		if addr != p.network.Addr() {
			return addr, true
		}
	}
	return netip.Addr{}, false
}

// broadcast reports whether an IPv4 address is the last one of the network.
func (p *pool) broadcast(addr netip.Addr) bool {
	return addr.Is4() && p.network.Bits() < 31 && !p.network.Contains(addr.Next())
}
