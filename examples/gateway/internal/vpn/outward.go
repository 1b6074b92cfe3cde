package vpn

import (
	"net/netip"

	"github.com/sealburst/sealburst/examples/gateway/internal/ippacket"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// outward carries bursts from the plain side into sessions. One goroutine runs it.
type outward struct {
	plain port.Port
	route func(destination netip.Addr) *session // nil for none
	count *tunnel.Way

	burst    []record.Datagram
	sessions []*session // of each packet in the burst
	payloads [][]byte
}

func newOutward(plain port.Port, mtu int, route func(netip.Addr) *session, count *tunnel.Way) *outward {
	return &outward{
		plain: plain, route: route, count: count,
		burst: port.NewBurst(port.MaxBurst, mtu), sessions: make([]*session, port.MaxBurst),
		payloads: make([][]byte, 0, port.MaxBurst),
	}
}

// run moves packets until the plain side fails, and returns its error.
func (o *outward) run() error {
	for {
		n, err := o.plain.Receive(o.burst)
		if err != nil {
			return err
		}
		var drops record.Tally
		o.sort(n, &drops)
		for i := range n {
			if s := o.sessions[i]; s != nil {
				o.gather(s, i, n)
				s.send(o.payloads, &drops, o.count)
				drops = record.Tally{}
			}
		}
		o.count.Add(0, 0, &drops)
	}
}

// sort finds each packet's session.
func (o *outward) sort(n int, drops *record.Tally) {
	for i := range n {
		d := &o.burst[i]
		o.sessions[i] = nil
		if d.Drop == record.DropNone {
			o.sessions[i], d.Drop = o.find(d.Content())
		}
		drops[d.Drop]++
	}
}

func (o *outward) find(packet []byte) (*session, record.Drop) {
	_, destination, ok := ippacket.Addresses(packet)
	if !ok {
		return nil, record.DropMalformed
	}
	if s := o.route(destination); s != nil {
		return s, record.DropNone
	}
	return nil, record.DropUnknownSession
}

// gather takes the packets of one session out of the burst, from one on.
func (o *outward) gather(s *session, from, n int) {
	o.payloads = o.payloads[:0]
	for i := from; i < n; i++ {
		if o.sessions[i] == s {
			o.payloads = append(o.payloads, o.burst[i].Content())
			o.sessions[i] = nil
		}
	}
}
