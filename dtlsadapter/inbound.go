package dtlsadapter

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/replay"
)

// Inbound opens the records of one epoch of one peer. Any number of goroutines may
// use it at once; each record is accepted once.
type Inbound struct {
	half
	receiver *record.Receiver
	pool     sync.Pool // of *opener, for Unprotect
}

// NewInbound makes the receiving half of an epoch from the peer's write keys.
// Window is how many numbers the replay window remembers at least, up to 8192, as
// replay.SizeFor has it, and 64 if it is 0. It fails as NewOutbound does, and with an
// ErrConfig for a window that there is not.
func NewInbound(e *engine.Engine, k Keys, window int) (*Inbound, error) {
	if window < 0 || window > replay.MaxSize {
		return nil, &FieldError{"window", fmt.Sprintf("%d is not 0 to %d", window, replay.MaxSize)}
	}
	in := &Inbound{pool: sync.Pool{New: func() any { return newOpener(e) }}}
	limits, err := in.open(e, &k, ciphers.Opening)
	if err != nil {
		return nil, err
	}
	in.receiver, err = record.NewReceiver(record.ReceiverConfig{Limits: limits, Epoch: uint64(k.Epoch), Window: window})
	if err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// Unprotect opens each datagram, which holds one record, in place and moves Off and
// Len to the payload. Split takes datagrams apart that hold several. It returns
// how many are application data and authentic; the others get a cause: an alert
// or a handshake message is DropType and is left as it was. A datagram that
// already has a cause is passed over.
func (in *Inbound) Unprotect(burst []record.Datagram) int {
	o := in.pool.Get().(*opener)
	done := 0
	for len(burst) > 0 {
		n := min(len(burst), openSize)
		done += in.unprotect(o, burst[:n])
		burst = burst[n:]
	}
	in.pool.Put(o)
	return done
}

func (in *Inbound) unprotect(o *opener, burst []record.Datagram) (done int) {
	var which [openSize]uint8
	o.begin(in, nil)
	for i := range burst {
		if d := &burst[i]; d.Drop == record.DropNone && in.suits(d) {
			which[o.n&(openSize-1)] = uint8(i)
			o.add(d.Content())
		}
	}
	o.open()
	head, overhead := headerSize+in.explicit, headerSize+in.explicit+in.tag
	for i, at := range which[:o.n] {
		d := &burst[at]
		if d.Drop = o.arrivals[i].Drop; d.Drop == record.DropNone {
			d.Off += head
			d.Len -= overhead
		}
	}
	done = o.runs[0].delivered
	o.reset()
	return done
}

// suits refuses what Unprotect does not open.
func (in *Inbound) suits(d *record.Datagram) bool {
	switch {
	case !d.Valid():
		d.Drop = record.DropFailed
	case d.Len > 0 && d.Content()[0] != typeApplicationData:
		d.Drop = record.DropType
	default:
		return true
	}
	in.counters.drop(d.Drop, 1)
	return false
}

// examine reads a record's header: its number, or why it cannot be opened here. rec
// may be anything that came in.
func (in *Inbound) examine(rec []byte) record.Arrival {
	if len(rec) < headerSize {
		return record.Arrival{Drop: record.DropTruncated}
	}
	lead := binary.BigEndian.Uint64(rec)     // type, version, epoch, and the number's high bits
	rest := binary.BigEndian.Uint64(rec[5:]) // the number, and the length
	body := int(uint16(rest))                // what the header says
	plaintext := body - in.explicit - in.tag // negative if there is no room for them
	number := rest >> 16
	if lead>>24 == in.data && body == len(rec)-headerSize && uint(plaintext) <= MaxPlaintext {
		return record.Arrival{Number: number}
	}
	h := parseHeader(rec)
	return record.Arrival{Number: number, Drop: in.refuse(&h, len(rec)-headerSize)}
}

func (in *Inbound) refuse(h *header, body int) record.Drop {
	plaintext := h.length - in.explicit - in.tag
	switch {
	case h.length > body:
		return record.DropTruncated
	case h.version != version12 || h.length < body:
		return record.DropMalformed
	case h.epoch() != in.epoch:
		return record.DropEpoch
	case h.kind != typeApplicationData && h.kind != typeHandshake && h.kind != typeAlert:
		return record.DropType
	case plaintext < 0:
		return record.DropTruncated
	case plaintext > MaxPlaintext:
		return record.DropTooLong
	}
	return record.DropNone
}

// fill describes a record that examine let pass, with the number it found, to the engine.
func (in *Inbound) fill(p *engine.Packet, aad *[aadSize]byte, rec []byte, number uint64) {
	body := len(rec) - headerSize
	h := header{kind: rec[0], version: version12, number: uint64(in.epoch)<<48 | number}
	h.putAAD(aad, body-in.explicit-in.tag)
	p.Buf = rec
	p.Number = h.number
	p.Len = uint32(body - in.explicit)
	if p.Key != in.key {
		in.bind(p)
	}
}

// plaintext is where an opened record's payload lies.
func (in *Inbound) plaintext(rec []byte) []byte {
	end := len(rec) - in.tag
	return rec[headerSize+in.explicit : end : end]
}

// count adds a burst's outcomes to the counters.
func (in *Inbound) count(records [][]byte, arrivals []record.Arrival, delivered int) {
	var tally record.Tally
	var bytes uint64
	if delivered == len(records) {
		for _, rec := range records {
			bytes += uint64(len(rec))
		}
		in.counters.add(uint64(delivered), bytes-uint64(delivered*in.Overhead()), &tally)
		return
	}
	for i := range arrivals {
		tally[arrivals[i].Drop]++
		if arrivals[i].Drop == record.DropNone {
			bytes += uint64(len(records[i]) - in.Overhead())
		}
	}
	in.counters.add(uint64(delivered), bytes, &tally)
}
