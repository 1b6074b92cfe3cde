package dataplane

import (
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// send makes frames of the packets, sends them and counts. Those of a hop go to it, or else
// each to its own.
func (w *worker) send(b *ethernet.Burst, s *side, hop *ethernet.Neighbour, count *tunnel.Way) {
	if n := b.N; hop != nil && s.swift != nil && w.turns {
		if sent, ok := w.exchange(b, s, hop); ok {
			w.drops[record.DropQueueFull] += uint64(n - sent)
			count.Add(sent, uint64(w.bytes), &w.drops)
			w.drops = record.Tally{}
			return
		}
	}
	packets, bytes := 0, uint64(w.bytes)
	if hop != nil {
		packets = s.host.FramesTo(b.Frames[:b.N], hop, s.mtu)
	} else {
		packets = s.host.Frames(b.Frames[:b.N], w.hops[:b.N], s.mtu)
	}
	if packets != b.N {
		bytes = w.lost(b)
	}
	sent := w.transmit(b, s)
	w.drops[record.DropQueueFull] += uint64(packets - sent)
	count.Add(sent, bytes, &w.drops)
	w.drops = record.Tally{}
}

// exchange leaves the headers of frames to the device, if it takes them.
func (w *worker) exchange(b *ethernet.Burst, s *side, hop *ethernet.Neighbour) (sent int, ok bool) {
	if w.header, ok = s.host.HeaderTo(hop, s.mtu); ok {
		sent, ok = s.swift.ExchangeBehind(b, &w.header)
	}
	w.fresh = ok
	return sent, ok
}

// transmit sends a burst. After one for the protected side it receives what inward begins
// with.
func (w *worker) transmit(b *ethernet.Burst, s *side) int {
	if w.fresh = w.turns && s == &w.protected; w.fresh {
		return s.queue.Exchange(b)
	}
	return s.queue.Send(b)
}

// lost counts what of a burst is not sent, and returns how many bytes are.
func (w *worker) lost(b *ethernet.Burst) (bytes uint64) {
	for i := range b.Frames[:b.N] {
		if d := &b.Frames[i]; d.Drop == record.DropNone {
			bytes += uint64(w.sizes[i])
		} else if b.Buffers[i] != 0 {
			w.drops[d.Drop]++
		}
	}
	return bytes
}

// answer sends back what became an answer.
func (w *worker) answer(s *side) {
	if w.answers.N != 0 {
		s.queue.Send(&w.answers)
	}
}

// deliver sends packets that are counted elsewhere.
func (s *side) deliver(b *ethernet.Burst, hops *Hops) {
	if b.N != 0 {
		s.host.Frames(b.Frames[:b.N], hops[:b.N], s.mtu)
		s.queue.Send(b)
	}
}
