package ipsecadapter

import (
	"slices"
	"sync/atomic"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// InboundSA is an SA to receive through. Any number of goroutines may use it at once;
// each packet is accepted once.
type InboundSA struct {
	association
	match               Match
	source, destination []byte // as match needs them
	selectors           []Selector
	noReplay            bool
	originals           originals
	receiver            *record.Receiver
	stray               stray
	overhead            int         // of ESP, without padding and trailer
	plain               bool        // most of its packets may go the quick way
	simple              bool        // and all that differs among those is length and number
	removed             atomic.Bool // from the database
}

// NewInboundSA makes an SA to receive through; a Database makes it known. It fails with
// an ErrConfig or the engine's errors. The caller closes the SA.
func NewInboundSA(e *engine.Engine, c InboundConfig) (*InboundSA, error) {
	if e == nil {
		return nil, &FieldError{"Engine", "missing"}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.Lifetime.check(); err != nil {
		return nil, err
	}
	sa := &InboundSA{match: c.Match, noReplay: c.NoReplay, selectors: slices.Clone(c.Selectors)}
	sa.stray.watched = c.ESN
	sa.originals = originalsOf(c.OriginalSource, c.OriginalDestination)
	if c.Match != BySPI {
		sa.destination = c.Destination.AsSlice()
	}
	if c.Match == ByAddresses {
		sa.source = c.Source.AsSlice()
	}
	limits, err := sa.open(e, &c.Association, ciphers.Opening)
	if err != nil {
		return nil, err
	}
	sa.receiver, err = record.NewReceiver(record.ReceiverConfig{Limits: limits, Window: c.Window, NoReplay: c.NoReplay, Highest: c.Highest})
	if err != nil {
		sa.key.Close()
		return nil, err
	}
	sa.plain, sa.overhead = sa.isPlain(), sa.lead+sa.traits.icv
	sa.simple = sa.plain && sa.carrier == InIP && sa.readsIV && !sa.varies && sa.traits.align == 4
	sa.resume(c.First)
	sa.meter.start(&c.Association)
	return sa, nil
}

// resume leaves the window as if every number below first had been accepted.
func (sa *InboundSA) resume(first uint64) {
	if first <= 1 {
		return
	}
	var burst [burstSize]record.Arrival
	for number := first - min(first, uint64(sa.Window())); number < first; {
		n := 0
		for ; n < len(burst) && number < first; n++ {
			burst[n] = record.Arrival{Number: number}
			number++
		}
		sa.receiver.Settle(burst[:n])
	}
}

// Window is how many numbers the replay window remembers, and 0 without protection.
func (sa *InboundSA) Window() int { return sa.receiver.Window() }

// Highest is the highest sequence number that was accepted, at least the one below
// InboundConfig.First. It reports false where there is none.
func (sa *InboundSA) Highest() (number uint64, ok bool) { return sa.receiver.Highest() }

// Failed is how many packets failed authentication.
func (sa *InboundSA) Failed() uint64 { return sa.receiver.Failed() }

// window32 is the window that extended numbers are recovered with; they come with one.
func (sa *InboundSA) window32() uint32 { return uint32(sa.receiver.Window()) }
