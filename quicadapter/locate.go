package quicadapter

import (
	"errors"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// locate describes the packets that can be unmasked, and returns how many they are.
func (in *Inbound) locate(packets []Packet) (n int) {
	for i := 0; i < len(packets); {
		if p := &packets[i]; p.Conn == nil || !p.Type.HasKeys() {
			i++
			continue
		}
		i, n = in.locateRow(packets, i, n)
	}
	return n
}

// locateRow does so with the row of packets from there that have one connection and type,
// and returns where it ends.
func (in *Inbound) locateRow(packets []Packet, from, n int) (end, described int) {
	c, t := packets[from].Conn, packets[from].Type
	mask, drop := c.maskKey(t)
	for end = from; end < len(packets); end++ {
		p := &packets[end]
		switch {
		case p.Conn != c || p.Type != t:
			return end, n
		case p.Drop != record.DropNone:
			continue
		case drop != record.DropNone:
			p.Drop = drop
			continue
		case !p.sampled():
			p.Drop = record.DropTruncated
			continue
		}
		e := &in.burst[n]
		if e.MaskKey != mask {
			e.MaskKey = mask
		}
		e.Buf, e.Status = p.Buf, ciphers.StatusNone // a packet that was split off is all of its Buf
		e.SampleOff = p.numberOff + sampleSkip
		in.order[n] = uint8(end)
		n++
	}
	return end, n
}

// maskKey is the opening side's header-protection key of a type.
func (c *Conn) maskKey(t Type) (mask *engine.Key, drop record.Drop) {
	c.mu.Lock()
	switch k := c.open[t]; {
	case c.err != nil:
		drop = dropOfErr(c.err)
	case k == nil || k.mask == nil:
		drop = record.DropEpoch
	default:
		mask = k.mask
	}
	c.mu.Unlock()
	return mask, drop
}

// dropOfErr is the cause of packets that come after the end of a connection.
func dropOfErr(err error) record.Drop {
	if errors.Is(err, record.ErrIntegrityLimit) {
		return record.DropLimit
	}
	return record.DropClosed
}
