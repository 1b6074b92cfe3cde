package quicadapter

import (
	"encoding/binary"
	"math"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

// unmask removes header protection from the n packets described, recovers numbers,
// completes the descriptors of those that are worth opening, and returns how many.
func (in *Inbound) unmask(packets []Packet, n int) (left int) {
	for i := 0; i < n; {
		i, left = in.unmaskRow(packets, i, n, left)
	}
	return left
}

// unmasking is what a row of packets is unmasked with, while their connection is locked.
type unmasking struct {
	conn    *Conn
	keys    *keys
	highest uint64 // number opened, or pnum.None
	room    int    // packets that may be opened yet, as far as a burst has so many
}

func (c *Conn) unmasking(t Type) (u unmasking) {
	u = unmasking{conn: c, keys: c.open[t], highest: c.spaces[t.space()].opened}
	if used := c.failed + c.opening; used < c.limit && u.keys != nil && u.keys.key != nil {
		u.room = int(min(c.limit-used, ciphers.MaxBurst))
	}
	return u
}

// refusal is the cause of a packet that is not worth opening, by the status of its mask.
func (u *unmasking) refusal(s ciphers.Status) record.Drop {
	switch {
	case s != ciphers.StatusNone:
		return record.DropOf(s)
	case u.keys == nil || u.keys.key == nil: // discarded since the mask was made
		return record.DropEpoch
	}
	return record.DropLimit
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
	u, before := c.unmasking(t), left
	for end = from; end < n; end++ {
		if left == end && t == OneRTT && u.room > 0 && in.follows(packets, end, n) {
			done := in.unmaskAlike(packets, end, n, &u)
			if end, left = end+done, left+done; end == n {
				break
			}
		}
		p := &packets[in.order[end]]
		if p.Conn != c || p.Type != t {
			break
		}
		if status := in.burst[end].Status; status != ciphers.StatusNone || u.room == 0 {
			p.Drop = u.refusal(status)
			continue
		}
		in.unmaskOne(p, &u, end, left)
		left++
	}
	c.opening += uint64(left - before)
	c.mu.Unlock()
	return end, left
}

// follows reports that the packet of the descriptor behind at has the same connection.
func (in *Inbound) follows(packets []Packet, at, n int) bool {
	return at+1 < n && packets[in.order[at]].Conn == packets[in.order[at+1]].Conn
}

// unmaskOne unmasks the packet of a descriptor, which it moves down.
func (in *Inbound) unmaskOne(p *Packet, u *unmasking, at, to int) {
	e := &in.burst[to]
	if to != at {
		e.Buf, in.order[to] = in.burst[at].Buf, in.order[at]
	}
	mask := binary.BigEndian.Uint64(in.masks[ciphers.MaskSize*at:])
	truncated, size := unprotect(e.Buf, int(p.numberOff), mask)
	p.Number = pnum.QUIC(truncated, size, u.highest)
	key := u.keys.key
	if p.Type == OneRTT {
		key, p.Phase = u.conn.phaseKey(u.keys, e.Buf[0]&phaseBit != 0, p.Number)
	}
	complete(e, key, p.Number, int(p.numberOff)+size)
	u.room--
}

// unmaskAlike does what unmaskOne does, in a fraction of the time, with the packets in
// front of a row that are as most are: with a mask, with short headers of the present phase,
// and with numbers as long as the first one's that are not at either end of all numbers. It
// returns how many they are. What it leaves to unmaskOne is opened and settled in the same
// calls as the others.
func (in *Inbound) unmaskAlike(packets []Packet, from, n int, u *unmasking) (done int) {
	const told = phaseBit | numberBits
	c, key, phase, want := u.conn, u.keys.key, u.conn.phases.current, u.highest+1
	bits := (in.burst[from].Buf[0] ^ in.masks[ciphers.MaskSize*from]) & told
	if bits&phaseBit != byte(phase&1)*phaseBit {
		return 0
	}
	size, off := int(bits&numberBits)+1, int(packets[in.order[from]].numberOff) // which all short headers share
	header, shift := off+size, numberShift(size)
	digits, expected := ^uint32(0)<<shift, uint32(want)<<shift
	end := from
	for n = min(n, from+u.room); end < n; end++ {
		i := uint8(end)
		e, p := &in.burst[i], &packets[in.order[i]]
		if p.Conn != c || p.Type != OneRTT || e.Status != ciphers.StatusNone {
			break
		}
		mask, b := binary.BigEndian.Uint64(in.masks[ciphers.MaskSize*int(i):][:8]), e.Buf
		word := b[off:][:pnum.MaxQUICLength]
		first := b[0] ^ byte(mask>>56)&shortProtect
		plain := binary.BigEndian.Uint32(word) ^ uint32(mask>>24)&digits
		ahead := int32(plain&digits - expected)
		number := want + uint64(int64(ahead)>>shift)
		if first&told != bits || number > pnum.MaxQUIC || ahead == math.MinInt32 { // two are as near
			break
		}
		b[0] = first
		binary.BigEndian.PutUint32(word, plain)
		p.Number, p.Phase = number, phase
		complete(e, key, number, header)
	}
	u.room -= end - from
	return end - from
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
