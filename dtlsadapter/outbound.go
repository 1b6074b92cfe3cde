package dtlsadapter

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// burstSize is the most records that are sealed in one call of the engine. Longer
// bursts go in pieces.
const burstSize = 64

// Outbound seals records in one direction: everything that one side sends in one
// epoch, in one sequence. Any number of goroutines may use it at once.
type Outbound struct {
	half
	sender *record.Sender
	pool   sync.Pool // of *sealing
}

// NewOutbound makes the sending half of an epoch. It fails with an ErrSuite, an
// ErrConfig, record.ErrConfig for a First that is no sequence number, or the
// engine's errors.
func NewOutbound(e *engine.Engine, k Keys) (*Outbound, error) {
	o := &Outbound{pool: sync.Pool{New: func() any {
		s := new(sealing)
		s.prepare()
		return s
	}}}
	limits, err := o.open(e, &k, ciphers.Sealing)
	if err != nil {
		return nil, err
	}
	o.sender, err = record.NewSender(record.SenderConfig{Limits: limits, Epoch: uint64(k.Epoch), First: k.First})
	if err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// sealing is the scratch of one burst that is sealed.
type sealing struct {
	packets [burstSize]engine.Packet
	aads    [burstSize][aadSize]byte
	index   [burstSize]uint8 // which datagram each packet is
}

// prepare gives each packet its place for associated data, once.
func (s *sealing) prepare() {
	for i := range s.packets {
		s.packets[i].Prefix = s.aads[i][:]
	}
}

// RekeySoon reports whether the sequence numbers or what RFC 9325 section 4.4
// recommends for the suite's cipher are nearly used up. DTLS 1.2 has no key update:
// a new handshake is due.
func (o *Outbound) RekeySoon() bool { return o.sender.RekeySoon() }

// Protect makes each datagram's content, the payload, a record of application data
// in place: it writes header and explicit nonce in front, seals, and moves Off and
// Len to the whole record. Headroom and Tailroom bytes round the payload are enough.
// It numbers the records in the order of the burst and returns how many it made. A
// datagram that already has a cause is passed over; one that fails gets one, and
// is left as it was.
func (o *Outbound) Protect(burst []record.Datagram) int {
	s := o.pool.Get().(*sealing)
	done := 0
	for len(burst) > 0 {
		n := min(len(burst), burstSize)
		done += o.protect(s, burst[:n])
		burst = burst[n:]
	}
	o.pool.Put(s)
	return done
}

func (o *Outbound) protect(s *sealing, burst []record.Datagram) int {
	var tally record.Tally
	n := o.admit(s, burst, 0, len(burst), 0, &tally)
	first, granted, _ := o.sender.Reserve(n)
	for _, at := range s.index[granted:n] {
		burst[at].Drop = record.DropLimit
		tally[record.DropLimit]++
	}
	if granted == 0 {
		o.counters.add(0, 0, &tally)
		return 0
	}
	for i, at := range s.index[:granted] {
		o.place(s, i, &burst[at], first+uint64(i))
	}
	failed := o.engine.Seal(s.packets[:granted]) != granted
	return o.finish(s, burst, granted, failed, &tally)
}

// admit lists from packet n on those of the datagrams from at to end that can be sealed,
// says of the others why not, and returns how many packets there are then.
func (o *Outbound) admit(s *sealing, burst []record.Datagram, at, end, n int, tally *record.Tally) int {
	for ; at < end; at++ {
		d := &burst[at]
		if d.Drop != record.DropNone {
			continue
		}
		if !o.fits(d) {
			d.Drop = o.unfit(d)
			tally[d.Drop]++
			continue
		}
		s.index[n&(burstSize-1)] = uint8(at)
		n++
	}
	return n
}

// place describes packet i, whose payload the datagram holds, with room round it.
func (o *Outbound) place(s *sealing, i int, d *record.Datagram, sequence uint64) {
	start, end := d.Off-headerSize-o.explicit, d.Off+d.Len+o.tag
	o.fill(&s.packets[i], &s.aads[i], d.Buf[start:end:end], typeApplicationData, sequence, d.Len)
}

// fits reports that unfit finds nothing.
func (o *Outbound) fits(d *record.Datagram) bool {
	behind := len(d.Buf) - d.Off // of a valid datagram, and then at most len(Buf)
	return d.Off >= headerSize+o.explicit && uint(d.Len) <= MaxPlaintext && behind >= d.Len+o.tag
}

func (o *Outbound) unfit(d *record.Datagram) record.Drop {
	switch {
	case !d.Valid():
		return record.DropFailed
	case d.Len > MaxPlaintext:
		return record.DropTooLong
	case d.Headroom() < headerSize+o.explicit:
		return record.DropHeadroom
	}
	return record.DropTailroom
}

// fill writes the header of the record that wire is to hold and describes it to
// the engine. n is the length of the plaintext, which lies in its place.
func (o *Outbound) fill(p *engine.Packet, aad *[aadSize]byte, wire []byte, kind byte, sequence uint64, n int) {
	h := header{kind: kind, version: version12, number: uint64(o.epoch)<<48 | sequence, length: len(wire) - headerSize}
	h.put(wire)
	h.putAAD(aad, n)
	p.Buf = wire
	p.Number = h.number
	p.Len = uint32(n)
	if p.Key != o.key {
		o.bind(p)
	}
}

// bind puts into a packet what stays the same as long as its key does.
func (h *half) bind(p *engine.Packet) {
	p.Key = h.key
	p.IVOff = headerSize
	p.Off = uint16(headerSize + h.explicit)
}

// finish moves the borders of what was sealed out to the whole record.
func (o *Outbound) finish(s *sealing, burst []record.Datagram, granted int, failed bool, tally *record.Tally) (done int) {
	var bytes uint64
	head, overhead := headerSize+o.explicit, headerSize+o.explicit+o.tag
	for i, at := range s.index[:granted] {
		d := &burst[at]
		if failed {
			if d.Drop = record.DropOf(s.packets[i].Status); d.Drop != record.DropNone {
				tally[d.Drop]++
				continue
			}
		}
		bytes += uint64(d.Len)
		d.Off -= head
		d.Len += overhead
		done++
	}
	o.counters.add(uint64(done), bytes, tally)
	return done
}

// appendRecord seals one record of any type and appends it to dst. Its number
// comes from the same sequence as everything else.
func (o *Outbound) appendRecord(dst []byte, kind byte, payload []byte) ([]byte, error) {
	first, granted, err := o.sender.Reserve(1)
	if granted == 0 {
		return dst, err
	}
	s := o.pool.Get().(*sealing)
	defer o.pool.Put(s)
	at := len(dst)
	dst = append(dst, make([]byte, headerSize+o.explicit+len(payload)+o.tag)...)
	p := &s.packets[0]
	o.fill(p, &s.aads[0], dst[at:], kind, first, len(payload))
	copy(dst[at+headerSize+o.explicit:], payload)
	if o.engine.Seal(s.packets[:1]) != 1 {
		return dst[:at], p.Status.Err()
	}
	o.counters.add(1, uint64(len(payload)), new(record.Tally))
	return dst, nil
}
