package afpacket

import (
	"net/netip"
	"sync"

	"github.com/sealburst/sealburst/examples/gateway/internal/ippacket"
)

// maxHosts bounds what strangers can make a port remember.
const maxHosts = 4096

var broadcast = [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// hosts remembers under which hardware address each IP address was seen.
type hosts struct {
	mu   sync.RWMutex
	seen map[netip.Addr][6]byte
}

// learn notes the sender of a packet.
func (h *hosts) learn(ip []byte, hardware [6]byte) {
	source, _, ok := ippacket.Addresses(ip)
	if !ok {
		return
	}
	h.mu.RLock()
	known, ok := h.seen[source]
	h.mu.RUnlock()
	if ok && known == hardware {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen == nil || len(h.seen) >= maxHosts {
		h.seen = map[netip.Addr][6]byte{}
	}
	h.seen[source] = hardware
}

// find is the hardware address of a packet's destination.
func (h *hosts) find(ip []byte) [6]byte {
	_, destination, ok := ippacket.Addresses(ip)
	if !ok {
		return broadcast
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	if hardware, ok := h.seen[destination]; ok {
		return hardware
	}
	return broadcast
}
