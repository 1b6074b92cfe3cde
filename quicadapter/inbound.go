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
func (in *Inbound) tally(datagrams []record.Datagram) (ok int) {
	var t record.Tally
	last := -1
	for i := range in.packets {
		p := &in.packets[i]
		d := &datagrams[p.From]
		if p.Drop == record.DropNone {
			ok++
			d.Drop = record.DropNone
		} else {
			t[p.Drop]++
			if p.From != last {
				d.Drop = p.Drop
			}
		}
		last = p.From
	}
	t[record.DropNone] = uint64(ok)
	in.drops.Add(&t)
	return ok
}

func (in *Inbound) openBurst(packets []Packet) {
	n := in.locate(packets)
	in.engine.Mask(in.masks[:ciphers.MaskSize*n], in.burst[:n])
	n = in.unmask(packets, n)
	in.engine.Open(in.burst[:n])
	in.settle(packets, n)
}

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

// unmask removes header protection from the n packets described, recovers numbers,
// completes the descriptors of those that are worth opening, and returns how many.
func (in *Inbound) unmask(packets []Packet, n int) (left int) {
	for i := 0; i < n; {
		i, left = in.unmaskRow(packets, i, n, left)
	}
	return left
}

// unmaskRow does so with the row of descriptors from there whose packets have one
// connection and type, moves them down to left, and returns where it ends.
//
// It does not look in the replay window, which formats whose numbers are in the clear do
// before they open, to spare the work. QUIC hides its numbers: if a forgery were opened or
// not by whether its number was received, the time that takes would tell a right guess at
// the mask from a wrong one (RFC 9001 section 9.5), and such guesses would not count
// towards the integrity limit. So every packet is opened, and accept asks the window about
// those that are authentic.
func (in *Inbound) unmaskRow(packets []Packet, from, n, left int) (end, newLeft int) {
	c, t := packets[in.order[from]].Conn, packets[in.order[from]].Type
	c.mu.Lock()
	k, highest := c.open[t], c.spaces[t.space()].opened
	for end = from; end < n; end++ {
		e, p := &in.burst[end], &packets[in.order[end]]
		if p.Conn != c || p.Type != t {
			break
		}
		switch {
		case e.Status != ciphers.StatusNone:
			p.Drop = record.DropOf(e.Status)
			continue
		case k == nil || k.key == nil: // discarded since the mask was made
			p.Drop = record.DropEpoch
			continue
		}
		truncated, size := unprotect(e.Buf, int(p.numberOff), in.masks[ciphers.MaskSize*end:][:ciphers.MaskSize])
		p.Number = pnum.QUIC(truncated, size, highest)
		if c.failed+c.opening >= c.limit {
			p.Drop = record.DropLimit
			continue
		}
		c.opening++
		key := k.key
		if t == OneRTT {
			key, p.Phase = c.phaseKey(k, e.Buf[0]&phaseBit != 0, p.Number)
		}
		if left != end {
			in.burst[left].Buf, in.order[left] = e.Buf, in.order[end]
		}
		complete(&in.burst[left], key, p.Number, int(p.numberOff)+size)
		left++
	}
	c.mu.Unlock()
	return end, left
}

// complete gives a descriptor that has its Buf what else is needed to open it.
func complete(e *engine.Packet, key *engine.Key, number uint64, header int) {
	if e.Key != key {
		e.Key = key
	}
	e.Number = number
	e.Off, e.AADLen = uint16(header), uint16(header)
	e.Len = uint32(len(e.Buf) - header)
}

// settle moves windows and phases for what proved authentic.
func (in *Inbound) settle(packets []Packet, n int) {
	for i := 0; i < n; {
		i = in.settleRow(packets, i, n)
	}
}

func (in *Inbound) settleRow(packets []Packet, from, n int) (end int) {
	c, t := packets[in.order[from]].Conn, packets[in.order[from]].Type
	c.mu.Lock()
	s := &c.spaces[t.space()]
	for end = from; end < n; end++ {
		e, p := &in.burst[end], &packets[in.order[end]]
		if p.Conn != c || p.Type != t {
			break
		}
		c.opening--
		if e.Status != ciphers.StatusOK {
			p.Drop = c.refuse(record.DropOf(e.Status))
			continue
		}
		if p.Drop = c.accept(s, p, e.Buf[0]); p.Drop == record.DropNone {
			p.Off = int(e.Off)
			p.Len -= int(e.Off) + TagSize
		}
	}
	c.mu.Unlock()
	return end
}

// refuse takes in a packet that was not opened.
func (c *Conn) refuse(cause record.Drop) record.Drop {
	if cause == record.DropUnauthentic {
		c.failed++
		c.checkLimit()
	}
	return cause
}

// checkLimit ends the connection once as many packets failed as the limit allows.
func (c *Conn) checkLimit() {
	if c.failed >= c.limit {
		c.fail(record.ErrIntegrityLimit)
	}
}

// accept takes in a packet that proved authentic, and the first byte of its header.
func (c *Conn) accept(s *space, p *Packet, header byte) record.Drop {
	if verdict := s.window.Accept(p.Number); verdict != replay.Fresh {
		return dropOfVerdict(verdict)
	}
	s.note(p.Number)
	reserved := byte(longReserved)
	if p.Type == OneRTT {
		reserved = shortReserved
		if p.Phase != c.phases.current {
			c.settlePhase(p.Phase, p.Number)
		} else {
			c.phases.note(p.Number)
		}
	}
	if header&reserved != 0 {
		c.fail(ErrReservedBits)
		return record.DropMalformed
	}
	return record.DropNone
}

// dropOfVerdict is the cause of a packet whose number is not fresh.
func dropOfVerdict(v replay.Verdict) record.Drop {
	if v == replay.TooOld {
		return record.DropTooOld
	}
	return record.DropReplayed
}
