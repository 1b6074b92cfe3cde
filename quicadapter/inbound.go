package quicadapter

import (
	"errors"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
	"github.com/sealburst/sealburst/record/replay"
)

// Inbound opens datagrams. It belongs to one goroutine at a time.
type Inbound struct {
	engine *engine.Engine
	table  *Table
	drops  record.Drops

	packets []Packet
	burst   [ciphers.MaxBurst]engine.Packet
	order   [ciphers.MaxBurst]uint8 // the packet of each descriptor
	masks   [ciphers.MaxBurst * ciphers.MaskSize]byte
}

// NewInbound makes the opening side for the connections in a table, whose keys are of
// that engine.
func NewInbound(e *engine.Engine, t *Table) *Inbound { return &Inbound{engine: e, table: t} }

// Open splits a burst of any number of datagrams into packets and opens them. It returns
// all packets that it found, in order, in storage that the next call uses again, and how
// many of them have no Drop. A datagram none of whose packets is good gets its first
// packet's Drop.
//
// A datagram is split up to the first packet of an unknown connection, of another
// connection ID than the first packet's, or with a header that cannot be read, and into
// MaxCoalesced packets at most. What is left then is one packet with a Drop:
// DropUnknownSession, DropMalformed, what Header.Parse said, or DropTooLong.
//
// Retry and VersionNegotiation packets have no protection to remove: they count as good,
// and nothing about them is proved.
//
// All numbers are recovered from what was authentic before the burst. That is enough:
// senders take as many bytes as recovery needs from the highest number acknowledged.
func (in *Inbound) Open(datagrams []record.Datagram) (packets []Packet, ok int) {
	in.split(datagrams)
	for rest := in.packets; len(rest) > 0; {
		n := min(len(rest), ciphers.MaxBurst)
		in.openBurst(rest[:n])
		rest = rest[n:]
	}
	return in.packets, in.tally(datagrams)
}

// Drops counts packets, not datagrams, by cause; DropNone counts those that are good.
func (in *Inbound) Drops() record.Tally { return in.drops.Snapshot() }

// tally counts causes and gives each datagram its own.
func (in *Inbound) tally(datagrams []record.Datagram) int {
	var t record.Tally
	last := -1
	for i := range in.packets {
		p := &in.packets[i]
		t[p.Drop]++
		if d := &datagrams[p.From]; p.From != last || p.Drop == record.DropNone {
			d.Drop = p.Drop
		}
		last = p.From
	}
	in.drops.Add(&t)
	return int(t[record.DropNone])
}

func (in *Inbound) openBurst(packets []Packet) {
	n := in.locate(packets)
	in.engine.Mask(in.masks[:ciphers.MaskSize*n], in.burst[:n])
	n = in.unmask(packets, n)
	in.engine.Open(in.burst[:n])
	in.settle(packets, n)
}

// hold locks a connection, where it is not the one that is held already.
func hold(held, want *Conn) *Conn {
	if held == want {
		return held
	}
	held.release()
	want.mu.Lock()
	return want
}

func (c *Conn) release() {
	if c != nil {
		c.mu.Unlock()
	}
}

// locate describes the packets that can be unmasked, and returns how many they are.
func (in *Inbound) locate(packets []Packet) (n int) {
	var held *Conn
	for i := range packets {
		p := &packets[i]
		if p.Drop != record.DropNone || !p.Type.HasKeys() {
			continue
		}
		held = hold(held, p.Conn)
		mask, drop := p.Conn.maskKey(p.Type)
		if drop == record.DropNone && !p.sampled() {
			drop = record.DropTruncated
		}
		if p.Drop = drop; drop != record.DropNone {
			continue
		}
		e := &in.burst[n]
		e.Buf, e.MaskKey, e.Status = p.Content(), mask, ciphers.StatusNone
		e.SampleOff = uint16(p.numberOff + sampleSkip)
		in.order[n] = uint8(i)
		n++
	}
	held.release()
	return n
}

// maskKey is the opening side's header-protection key of a type.
func (c *Conn) maskKey(t Type) (*engine.Key, record.Drop) {
	k := c.open[t]
	switch {
	case c.err != nil:
		return nil, dropOfErr(c.err)
	case k == nil || k.mask == nil:
		return nil, record.DropEpoch
	}
	return k.mask, record.DropNone
}

// dropOfErr is the cause of packets that come after the end of a connection.
func dropOfErr(err error) record.Drop {
	if errors.Is(err, record.ErrIntegrityLimit) {
		return record.DropLimit
	}
	return record.DropClosed
}

// unmask removes header protection from the n packets described, recovers numbers,
// completes the descriptors of those that are worth opening, and returns how many.
func (in *Inbound) unmask(packets []Packet, n int) (left int) {
	var held *Conn
	for i := range n {
		e, p := &in.burst[i], &packets[in.order[i]]
		if p.Drop = record.DropOf(e.Status); e.Status == ciphers.StatusNone {
			held = hold(held, p.Conn)
			p.Drop = p.Conn.examine(p, e, in.masks[ciphers.MaskSize*i:][:ciphers.MaskSize])
		}
		if p.Drop != record.DropNone {
			continue
		}
		if left != i {
			in.burst[left], in.order[left] = *e, in.order[i]
		}
		left++
	}
	held.release()
	return left
}

// examine removes a packet's header protection and finds number and key.
//
// It does not look in the replay window, which formats whose numbers are in the clear do
// before they open, to spare the work. QUIC hides its numbers: if a forgery were opened or
// not by whether its number was received, the time that takes would tell a right guess at
// the mask from a wrong one (RFC 9001 section 9.5), and such guesses would not count
// towards the integrity limit. So every packet is opened, and accept asks the window about
// those that are authentic.
func (c *Conn) examine(p *Packet, e *engine.Packet, mask []byte) record.Drop {
	k, s := c.open[p.Type], &c.spaces[p.Type.space()]
	if k == nil || k.key == nil { // discarded since the mask was made
		return record.DropEpoch
	}
	size := unprotect(e.Buf, p.numberOff, mask)
	header := p.numberOff + size
	p.Number = pnum.QUIC(pnum.Get(e.Buf[p.numberOff:header]), size, s.opened)
	if c.opening >= c.limit-c.failed {
		return record.DropLimit
	}
	e.Key = k.key
	if p.Type == OneRTT {
		e.Key, p.Phase = c.phaseKey(k, e.Buf[0]&phaseBit != 0, p.Number)
	}
	c.opening++
	e.Number = p.Number
	e.Off, e.AADLen = uint16(header), uint16(header)
	e.Len = uint32(len(e.Buf) - header)
	return record.DropNone
}

// settle moves windows and phases for what proved authentic.
func (in *Inbound) settle(packets []Packet, n int) {
	var held *Conn
	for i := range n {
		e, p := &in.burst[i], &packets[in.order[i]]
		held = hold(held, p.Conn)
		p.Drop = p.Conn.settle(p, record.DropOf(e.Status))
		if p.Drop == record.DropNone {
			p.Off += int(e.Off)
			p.Len -= int(e.Off) + tagSize
		}
	}
	held.release()
}

// settle takes in the outcome of one packet and returns its final one.
func (c *Conn) settle(p *Packet, outcome record.Drop) record.Drop {
	c.opening--
	switch outcome {
	case record.DropNone:
		return c.accept(p)
	case record.DropUnauthentic:
		c.failed++
		if c.failed >= c.limit {
			c.fail(record.ErrIntegrityLimit)
		}
	}
	return outcome
}

// accept takes in a packet that proved authentic.
func (c *Conn) accept(p *Packet) record.Drop {
	switch c.spaces[p.Type.space()].accept(p.Number) {
	case replay.TooOld:
		return record.DropTooOld
	case replay.Duplicate:
		return record.DropReplayed
	}
	reserved := byte(longReserved)
	if p.Type == OneRTT {
		reserved = shortReserved
		c.settlePhase(p.Phase, p.Number)
	}
	if p.Buf[p.Off]&reserved != 0 {
		c.fail(ErrReservedBits)
		return record.DropMalformed
	}
	return record.DropNone
}
