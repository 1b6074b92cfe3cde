package dtlsadapter

import "github.com/sealburst/sealburst/record"

// established reports whether the handshake is over.
func (c *Conn) established() bool { return c.in.Load() != nil }

// take sorts out a datagram that arrived, in memory that is lent until the opener
// is flushed.
func (c *Conn) take(o *opener, datagram []byte) {
	in := c.in.Load()
	if in == nil {
		if in = c.sortEarly(datagram); in == nil {
			return
		}
	}
	for rest := datagram; len(rest) > 0; {
		rec, behind, ok := cutRecord(rest)
		if !ok {
			in.counters.drop(record.DropTruncated, 1)
			return
		}
		if o.full() {
			o.flush()
		}
		o.join(in, c)
		o.add(rec)
		rest = behind
	}
}

// join begins a run unless the last one is of the same connection.
func (o *opener) join(in *Inbound, c *Conn) {
	if o.nRuns == 0 || o.runs[o.nRuns-1].conn != c {
		o.begin(in, c)
	}
}

// flush opens what was gathered and delivers it.
func (o *opener) flush() {
	if o.n > 0 {
		o.open()
		for i := range o.runs[:o.nRuns] {
			o.runs[i].conn.deliver(o, &o.runs[i])
		}
	}
	o.reset()
}

// deliver hands a run's authentic records on: application data to the queue, in one
// go, and after them the rest.
func (c *Conn) deliver(o *opener, r *run) {
	var full, control uint64
	c.queue.begin()
	for i := r.first; i < r.end; i++ {
		switch {
		case o.arrivals[i].Drop != record.DropNone:
		case o.records[i][0] != typeApplicationData:
			control++
		case !c.queue.add(r.in.plaintext(o.records[i])):
			full++
		}
	}
	c.queue.wake()
	if full > 0 {
		r.in.counters.drop(record.DropQueueFull, full)
	}
	if control > 0 {
		c.control(o, r)
	}
}

// control handles a run's authentic alerts and handshake messages.
func (c *Conn) control(o *opener, r *run) {
	for i := r.first; i < r.end; i++ {
		if o.arrivals[i].Drop != record.DropNone {
			continue
		}
		cause := record.DropNone
		switch rec := o.records[i]; rec[0] {
		case typeAlert:
			cause = c.alerted(r.in.plaintext(rec))
		case typeHandshake:
			cause = c.lateHandshake(o.saved(i), r.in.plaintext(rec))
		}
		if cause != record.DropNone {
			r.in.counters.drop(cause, 1)
		}
	}
}

// Alerts of RFC 5246 section 7.2.
const (
	alertWarning     = 1
	alertFatal       = 2
	alertCloseNotify = 0
)

func (c *Conn) alerted(alert []byte) record.Drop {
	switch {
	case len(alert) != 2:
		return record.DropMalformed
	case alert[1] == alertCloseNotify:
		c.answerClose()
	case alert[0] == alertFatal:
		c.stop(&AlertError{alert[1]}, &AlertError{alert[1]})
	}
	return record.DropNone
}

// lateHandshake gives pion a Finished that came again, so that it repeats its last
// flight. Anything else would begin a renegotiation, which is not offered. raw is
// the record as it came, since pion opens it itself and keeps its own window.
func (c *Conn) lateHandshake(raw, message []byte) record.Drop {
	if raw == nil || len(message) == 0 || message[0] != messageFinished || c.late.Add(1) > lateFlights {
		return record.DropType
	}
	if !c.lower.give(append([]byte(nil), raw...)) {
		return record.DropQueueFull
	}
	return record.DropNone
}
