package espvpn

import (
	"cmp"
	"net/netip"
	"slices"
)

// routes find the peer behind which an address lives: the longest prefix that has it.
// Addresses of single hosts, of which there may be thousands, are looked up at once.
type routes struct {
	hosts    map[netip.Addr]*Peer
	networks []route // the longest prefix first, once sorted
}

type route struct {
	network netip.Prefix
	peer    *Peer
}

// add keeps the first peer that has a network.
func (r *routes) add(network netip.Prefix, peer *Peer) {
	if !network.IsSingleIP() {
		r.networks = append(r.networks, route{network, peer})
		return
	}
	if r.hosts == nil {
		r.hosts = map[netip.Addr]*Peer{}
	}
	if r.hosts[network.Addr()] == nil {
		r.hosts[network.Addr()] = peer
	}
}

func (r *routes) sort() {
	slices.SortStableFunc(r.networks, func(a, b route) int { return cmp.Compare(b.network.Bits(), a.network.Bits()) })
}

// find is the peer behind which an address lives, or nil.
func (r *routes) find(addr netip.Addr) *Peer {
	if peer := r.hosts[addr]; peer != nil {
		return peer
	}
	for i := range r.networks {
		if r.networks[i].network.Contains(addr) {
			return r.networks[i].peer
		}
	}
	return nil
}
