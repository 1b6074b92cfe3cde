package dataplane

import (
	"net/netip"
	"slices"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
)

// inside is what one worker answers to clients and peers that ask the gateway itself,
// through a tunnel, whether it is there.
type inside struct {
	own     []address          // the gateway's, inside tunnels and on the plain side
	self    ethernet.Neighbour // stands for the gateway where packets for a neighbour have one
	answers ethernet.Burst
}

// newInside makes it for the addresses of the plain side and further ones.
func newInside(plain *ethernet.Host, more []netip.Addr) *inside {
	s := &inside{}
	for _, p := range plain.Addresses() {
		s.own = append(s.own, addressOf(p.Addr()))
	}
	for _, a := range more {
		s.own = append(s.own, addressOf(a))
	}
	return s
}

func (s *inside) owns(a address) bool { return slices.Contains(s.own, a) }

// reply makes an answer of packet i of a burst, or gives it a cause.
func (s *inside) reply(b *ethernet.Burst, i int) {
	if ethernet.Echo(&b.Frames[i]) {
		b.Move(i, &s.answers)
	}
}

// answerInside sends the answers into the tunnels that they belong in. They count nowhere.
func (w *worker) answerInside() {
	b := &w.inside.answers
	if b.N == 0 {
		return
	}
	b.CheckUDP = false
	w.protocol.Route(b, &w.hops, false)
	w.protocol.Seal(b)
	w.protected.deliver(b, &w.hops)
}
