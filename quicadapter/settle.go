package quicadapter

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/replay"
)

// settle moves windows and phases for what proved authentic.
func (in *Inbound) settle(packets []Packet, n int) {
	for i := 0; i < n; {
		i = in.settleRow(packets, i, n)
	}
}

func (in *Inbound) settleRow(packets []Packet, from, n int) (end int) {
	c, t := packets[in.order[from]].Conn, packets[in.order[from]].Type
	c.mu.Lock()
	for end = from; end < n; end++ {
		if t == OneRTT && in.follows(packets, end, n) {
			if end += in.settleAlike(c, packets, end, n); end == n {
				break
			}
		}
		p := &packets[in.order[end]]
		if p.Conn != c || p.Type != t {
			break
		}
		c.settleOne(&in.burst[end], p)
	}
	c.mu.Unlock()
	return end
}

// settleOne settles one packet.
func (c *Conn) settleOne(e *engine.Packet, p *Packet) {
	c.opening--
	p.Off, p.Len = 0, len(e.Buf)
	if e.Status != ciphers.StatusOK {
		p.Drop = c.refuse(record.DropOf(e.Status))
	} else if p.Drop = c.accept(p, e.Buf[0]); p.Drop == record.DropNone {
		p.Off, p.Len = int(e.Off), int(e.Len)-TagSize
	}
}

// settleAlike does what settleOne does, in a fraction of the time, with the packets in
// front that are as most of a connection's are: authentic, of the present phase, with no
// reserved bit set and with numbers that follow one on the other, above all that were
// opened. It returns how many they are. Those there may be another connection's, whose lock
// is not held: it takes none of them.
func (in *Inbound) settleAlike(c *Conn, packets []Packet, from, n int) (settled int) {
	first := packets[in.order[from]].Number
	s, phase := &c.spaces[spaceApplication], c.phases.current
	if first <= s.opened { // which is pnum.None before the first, above all numbers
		return 0
	}
	end := from
	for ; end < n; end++ {
		i := uint8(end)
		e, p := &in.burst[i], &packets[in.order[i]]
		if e.Status != ciphers.StatusOK || p.Conn != c || p.Type != OneRTT || p.Phase != phase ||
			p.Number-first != uint64(end-from) || e.Buf[0]&shortReserved != 0 {
			break
		}
		p.Off, p.Len = int(e.Off), int(e.Len)-TagSize
	}
	if !s.window.AcceptRow(first, end-from) {
		return 0
	}
	c.opening -= uint64(end - from)
	c.noteRow(s, first, first+uint64(end-from)-1)
	return end - from
}

// noteRow takes in the numbers from first to last.
func (c *Conn) noteRow(s *space, first, last uint64) {
	s.note(last)
	c.phases.note(first)
	c.phases.note(last)
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
func (c *Conn) accept(p *Packet, header byte) record.Drop {
	s := &c.spaces[p.Type.space()]
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
