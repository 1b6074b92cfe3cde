package quicadapter

import (
	"errors"
	"fmt"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

// reservation is what a row of packets is sealed with.
type reservation struct {
	key, mask *engine.Key
	first     uint64
	granted   int
	acked     uint64
	phase     uint64
	size      int // of the numbers of short headers; 0 where they differ, and for long ones
}

// reserve takes keys and n numbers for packets of a type. The cause is that of the packets
// that get none.
func (c *Conn) reserve(t Type, n int) (r reservation, drop record.Drop) {
	if drop := c.sealable(t); drop != record.DropNone {
		return r, drop
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k, drop := c.sealKeys(t)
	if drop != record.DropNone {
		return r, drop
	}
	s := &c.spaces[t.space()]
	first, granted, err := k.sender.Reserve(n)
	if granted == 0 && err != nil {
		return r, record.DropLimit
	}
	s.next = first + uint64(granted)
	r = reservation{key: k.key, mask: k.mask, first: first, granted: granted, acked: s.acked}
	if t == OneRTT {
		r.phase = c.phases.current
		r.size = r.sharedSize()
	}
	return r, record.DropLimit
}

// sealable refuses what has no keys on any connection.
func (c *Conn) sealable(t Type) record.Drop {
	switch {
	case c == nil:
		return record.DropUnknownSession
	case !t.HasKeys():
		return record.DropType
	}
	return record.DropNone
}

// sealKeys are the keys that packets of a type are sealed with; the lock is held.
func (c *Conn) sealKeys(t Type) (*keys, record.Drop) {
	k := c.seal[t]
	switch {
	case c.err != nil && errors.Is(c.err, ErrClosed):
		return nil, record.DropClosed
	case k == nil || k.key == nil:
		return nil, record.DropEpoch
	}
	return k, record.DropNone
}

// nextNumber is the number of the next packet of a type, and the highest acknowledged.
func (c *Conn) nextNumber(t Type) (number, acked uint64, drop record.Drop) {
	if drop := c.sealable(t); drop != record.DropNone {
		return 0, 0, drop
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, drop = c.sealKeys(t)
	s := &c.spaces[t.space()]
	return s.next, s.acked, drop
}

// Skip gives the next number of a type's space up and returns it. A peer that acknowledges
// it claims to have received what was never sent (RFC 9000 section 21.4). It returns
// ErrNoKeys, or what Sender.Reserve of package record returns at the end of numbers or of
// the key's use.
func (c *Conn) Skip(t Type) (number uint64, err error) {
	if c.sealable(t) != record.DropNone {
		return 0, fmt.Errorf("%w: Type %v has no numbers", ErrConfig, t)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k, drop := c.sealKeys(t)
	if drop != record.DropNone {
		return 0, fmt.Errorf("%w: %v", ErrNoKeys, t)
	}
	if number, _, err = k.sender.Reserve(1); err == nil {
		c.spaces[t.space()].next = number + 1
	}
	return number, err
}

// sharedSize is the length of all numbers of the reservation, or 0 where they differ or
// one is too far from what was acknowledged. Lengths grow with numbers.
func (r *reservation) sharedSize() int {
	first, err := pnum.QUICLength(r.first, r.acked)
	if err != nil || r.granted == 1 {
		return first
	}
	if last, err := pnum.QUICLength(r.first+uint64(r.granted)-1, r.acked); err != nil || first != last {
		return 0
	}
	return first
}
