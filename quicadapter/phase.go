package quicadapter

import (
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record/pnum"
)

// phases is where a connection stands in its key updates (RFC 9001 section 6). Both
// directions are always in the same phase.
type phases struct {
	current   uint64 // key updates so far
	first     uint64 // the first number that could be sealed in this phase
	low, high uint64 // numbers opened in this phase, low pnum.None before the first
	confirmed bool
}

func newPhases() phases { return phases{low: pnum.None} }

// Confirm tells that the handshake is confirmed (RFC 9001 section 4.1.2), before which
// no key update may be initiated. It discards the Handshake keys.
func (c *Conn) Confirm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phases.confirmed = true
	c.discard(Handshake)
}

// Phase is how many key updates there were.
func (c *Conn) Phase() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phases.current
}

// UpdateDue reports that seven eighths of the packets are sealed that the suite allows
// under one key (RFC 9001 section 6.6). At the limit itself packets are dropped.
func (c *Conn) UpdateDue() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.seal[OneRTT]
	return k != nil && k.sender != nil && k.sender.RekeySoon()
}

// Update initiates a key update: from now on packets are sealed in the next phase. It
// returns ErrTooSoon before Confirm, and before the peer acknowledged a packet of the
// present phase (RFC 9001 section 6.1).
func (c *Conn) Update() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	acked := c.spaces[spaceApplication].acked
	switch {
	case c.err != nil:
		return c.err
	case !hasPhases(c.seal[OneRTT]) || !hasPhases(c.open[OneRTT]):
		return fmt.Errorf("%w: %v in both directions", ErrNoKeys, OneRTT)
	case !c.phases.confirmed:
		return fmt.Errorf("%w: the handshake is not confirmed", ErrTooSoon)
	case c.phases.current > 0 && (acked == pnum.None || acked < c.phases.first):
		return fmt.Errorf("%w: no packet of phase %d is acknowledged", ErrTooSoon, c.phases.current)
	}
	if err := c.advance(); err != nil {
		c.fail(err)
		return err
	}
	return nil
}

// ForgetPrevious closes the keys of the phase before the present one. RFC 9001 section
// 6.5 allows it three times the probe timeout after the first packet of the present
// phase was opened; before that packet this does nothing. What comes later of that phase
// fails authentication, and counts as that.
func (c *Conn) ForgetPrevious() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.open[OneRTT]; k != nil && c.phases.low != pnum.None {
		k.closePrev()
	}
}

func hasPhases(k *keys) bool { return k != nil && k.next != nil }

// advance takes both directions to the next phase. A direction without keys, as in a
// probe that only listens, stays without. An error ends the connection: its directions
// may be in different phases.
func (c *Conn) advance() error {
	if k := c.open[OneRTT]; hasPhases(k) {
		if err := k.advance(&c.maker, ciphers.Opening); err != nil {
			return err
		}
	}
	c.phases = phases{
		current: c.phases.current + 1, first: c.spaces[spaceApplication].next,
		low: pnum.None, confirmed: c.phases.confirmed,
	}
	k := c.seal[OneRTT]
	if !hasPhases(k) {
		return nil
	}
	if err := k.advance(&c.maker, ciphers.Sealing); err != nil {
		return err
	}
	sender, err := c.newSender(k.suite, OneRTT)
	if err != nil {
		return err
	}
	k.sender = sender
	return nil
}

// phaseKey chooses the key for a packet that arrived with that phase bit and number:
// the other bit means the phase before where the number is lower than all of the
// present one, and else the next (RFC 9001 section 6.3). Once the keys of the phase before
// are gone, the next ones stand in for them: opening takes its time and fails, so that the
// key phase does not show either (section 9.5). A peer that did seal so far down with the
// next keys is found out by settlePhase.
func (c *Conn) phaseKey(k *keys, bit bool, number uint64) (*engine.Key, uint64) {
	now := &c.phases
	switch {
	case bit == (now.current&1 != 0):
		return k.key, now.current
	case now.low == pnum.None && k.prev != nil:
		return k.prev, now.current - 1
	case now.low == pnum.None || number > now.low || k.prev == nil:
		return k.next, now.current + 1
	}
	return k.prev, now.current - 1
}

// note takes in the number of an authentic packet of this phase.
func (now *phases) note(number uint64) {
	now.low, now.high = min(now.low, number), max(now.high, number) // pnum.None is above all numbers
}

// settlePhase takes in an authentic packet of another phase. The first of the next phase
// moves the connection there. A newer key under a lower number, or an older one under a
// higher, is the peer's error (RFC 9001 section 6.4).
func (c *Conn) settlePhase(phase, number uint64) {
	now := &c.phases
	switch {
	case phase < now.current:
		if now.low != pnum.None && number > now.low {
			c.fail(ErrKeyUpdate)
		}
	case now.low != pnum.None && number < now.high:
		c.fail(ErrKeyUpdate)
	default:
		if err := c.advance(); err != nil {
			c.fail(err)
			return
		}
		now.note(number)
	}
}
