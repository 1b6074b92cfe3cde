package record

import (
	"errors"
	"fmt"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record/replay"
)

// ErrIntegrityLimit says that as many records failed authentication as the
// algorithm allows. The key must not be used any more.
var ErrIntegrityLimit = errors.New("record: integrity limit of the key is reached")

// ReceiverConfig describes the receiving side of one key, or in QUIC of one packet
// number space.
type ReceiverConfig struct {
	Limits   Limits // from LimitsFor, or the caller's own; MaxNumber is the format's to keep
	Epoch    uint64 // at most Limits.MaxEpoch
	Window   int    // numbers that the replay window remembers at least, as replay.SizeFor has it; 0 means replay.DefaultSize
	NoReplay bool   // turns replay protection off, where the user demands it

	// Highest is where Settle stores the highest number that it has accepted, once a burst
	// and before it returns, with a plain store under its lock: in memory that outlives the
	// process, say, which then knows after a kill what was accepted. It may be nil.
	Highest *uint64
}

// Arrival is one record that arrived: its whole number, and what became of it. The
// adapter keeps a burst of them.
type Arrival struct {
	Number uint64
	Drop   Drop
}

// Receiver decides which numbers are fresh, and counts forgeries. Any number of
// goroutines may use it; it takes one lock a burst.
//
// It does not hold numbers against Limits.MaxNumber: a format of so many bits cannot carry a
// higher one, and a format that can must refuse it where it reads the header.
type Receiver struct {
	epoch uint64
	limit uint64 // failures allowed

	mu      sync.Mutex
	window  *replay.Window
	failed  uint64
	highest *uint64 // nil if nobody wants to know
}

// NewReceiver makes a receiver. It returns a FieldError for Limits that allow nothing and for
// a Window that there is not, ErrEpochsExhausted for an epoch beyond the format's last.
func NewReceiver(c ReceiverConfig) (*Receiver, error) {
	if err := checkLimits(c.Limits, c.Epoch); err != nil {
		return nil, err
	}
	window, err := c.window()
	if err != nil {
		return nil, err
	}
	return &Receiver{epoch: c.Epoch, limit: c.Limits.Forged, window: window, highest: c.Highest}, nil
}

func (c *ReceiverConfig) window() (*replay.Window, error) {
	if c.NoReplay {
		if c.Window != 0 {
			return nil, &FieldError{Field: "Window", Reason: fmt.Sprintf("%d with NoReplay", c.Window)}
		}
		return replay.Disabled(), nil
	}
	window, err := replay.New(c.Window)
	if err != nil {
		return nil, &FieldError{Field: "Window", Reason: fmt.Sprintf("%d is not 0 to %d", c.Window, replay.MaxSize), cause: err}
	}
	return window, nil
}

// Look goes over a burst before it is opened. Arrivals that have a cause already are
// passed over; of the others it marks those that are replayed or too old, and those
// that would be one attempt too many under the integrity limit. It returns how many
// are left to open, and changes nothing in the receiver.
func (r *Receiver) Look(arrivals []Arrival) (open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room := r.limit - r.failed
	for i := range arrivals {
		a := &arrivals[i]
		if a.Drop != DropNone {
			continue
		}
		if v := r.window.Check(a.Number); v != replay.Fresh {
			a.Drop = dropOfVerdict(v)
		} else if uint64(open) == room {
			a.Drop = DropLimit
		} else {
			open++
		}
	}
	return open
}

// Settle goes over the same burst after it was opened, when the caller has marked what
// failed, as DropOf says: DropUnauthentic counts against the integrity limit. A forgery that
// is not marked moves the window; SettlePackets marks by itself. What has no cause
// is authentic; its number is accepted now, or the arrival is marked because its
// number came twice in the burst, or through another goroutine meanwhile. It
// returns how many are to be delivered.
func (r *Receiver) Settle(arrivals []Arrival) (deliver int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range arrivals {
		a := &arrivals[i]
		switch a.Drop {
		case DropNone:
			if v := r.window.Accept(a.Number); v != replay.Fresh {
				a.Drop = dropOfVerdict(v)
			} else {
				deliver++
			}
		case DropUnauthentic:
			r.countFailure()
		}
	}
	if r.highest != nil && deliver != 0 {
		*r.highest, _ = r.window.Highest()
	}
	return deliver
}

// SettlePackets is Settle for packets as the engine left them: one for each arrival that has
// no cause yet, in their order. It gives these the causes of the packets' statuses first, so
// that nothing counts as authentic but what was opened. An arrival without a packet is
// DropFailed, as is one whose packet was not processed.
func (r *Receiver) SettlePackets(arrivals []Arrival, packets []ciphers.Packet) (deliver int) {
	for i := range arrivals {
		a := &arrivals[i]
		switch {
		case a.Drop != DropNone:
		case len(packets) == 0:
			a.Drop = DropFailed
		default:
			a.Drop = DropOf(packets[0].Status)
			packets = packets[1:]
		}
	}
	return r.Settle(arrivals)
}

// countFailure stops at the limit, which several goroutines that looked at the same
// time can pass by a burst each.
func (r *Receiver) countFailure() {
	if r.failed < r.limit {
		r.failed++
	}
}

func dropOfVerdict(v replay.Verdict) Drop {
	if v == replay.TooOld {
		return DropTooOld
	}
	return DropReplayed
}

// Err is ErrIntegrityLimit once the limit is reached, and nil before.
func (r *Receiver) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed >= r.limit {
		return ErrIntegrityLimit
	}
	return nil
}

// Failed is how many records failed authentication, up to the limit.
func (r *Receiver) Failed() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// Highest is the highest number accepted, from which shortened ones are recovered.
// It reports false before the first.
func (r *Receiver) Highest() (number uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.window.Highest()
}

// Window is how many numbers the replay window remembers, and 0 without protection.
func (r *Receiver) Window() int { return r.window.Size() }

// Epoch is the epoch that the numbers belong to.
func (r *Receiver) Epoch() uint64 { return r.epoch }
