package tunnel

import (
	"sync/atomic"

	"github.com/sealburst/sealburst/record"
)

// Counters count what a gateway moved, with a few atomic operations a burst. They
// may be shared, and read at any time.
type Counters struct {
	Out, In Way
}

// Way is one direction: Out from the plain side into tunnels, In the other way.
type Way struct {
	packets atomic.Uint64
	bytes   atomic.Uint64
	drops   record.Drops
}

// Add counts a burst: the packets and bytes that went on, and what was dropped.
func (w *Way) Add(packets int, bytes uint64, drops *record.Tally) {
	if packets > 0 {
		w.packets.Add(uint64(packets))
		w.bytes.Add(bytes)
	}
	if drops.Dropped() > 0 {
		drops[record.DropNone] = 0
		w.drops.Add(drops)
	}
}

// Flow is a snapshot of a Way.
type Flow struct {
	Packets uint64            `json:"packets"`
	Bytes   uint64            `json:"bytes"` // of IP packets
	Drops   map[string]uint64 `json:"drops,omitempty"`
}

// Flow reads the counters.
func (w *Way) Flow() Flow {
	drops := w.drops.Snapshot()
	return Flow{Packets: w.packets.Load(), Bytes: w.bytes.Load(), Drops: drops.ByName()}
}

// Drops are the packets that did not go on, by cause.
func (w *Way) Drops() record.Tally { return w.drops.Snapshot() }

// Add adds what went another way in the same direction.
func (f *Flow) Add(other Flow) {
	f.Packets += other.Packets
	f.Bytes += other.Bytes
	for cause, n := range other.Drops {
		if f.Drops == nil {
			f.Drops = map[string]uint64{}
		}
		f.Drops[cause] += n
	}
}
