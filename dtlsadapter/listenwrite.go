package dtlsadapter

import (
	"github.com/sealburst/sealburst/record"
)

// WriteBurst sends payloads[i] to the connection to[i], one record in one datagram
// each. However many the peers are, the burst is sealed in one call of the engine
// for each 64 records and sent in one system call. It returns how many were sent.
//
// A payload that is too long, or whose connection is closed or exhausted, is dropped
// and counted there; the others are sent all the same. The error is the socket's,
// or an ErrConfig when the slices differ in length or a connection is missing
// or not the listener's.
func (l *Listener) WriteBurst(to []*Conn, payloads [][]byte) (n int, err error) {
	if len(to) != len(payloads) {
		return 0, &FieldError{"payloads", "not as many as connections"}
	}
	for _, c := range to {
		if c == nil {
			return 0, &FieldError{"to", "a connection is missing"}
		}
		if p, ok := c.link.(*peer); !ok || p.listener != l {
			return 0, &FieldError{"to", "a connection of another listener"}
		}
	}
	w := l.writers.Get().(*writing)
	defer l.writers.Put(w)
	for len(to) > 0 && err == nil {
		size := min(len(to), burstSize)
		var sent int
		sent, err = l.writeSome(w, to[:size], payloads[:size])
		n += sent
		to, payloads = to[size:], payloads[size:]
	}
	return n, err
}

func (l *Listener) writeSome(w *writing, to []*Conn, payloads [][]byte) (int, error) {
	w.reserveArena(to, payloads)
	n, at := 0, 0
	for i, c := range to {
		sequence, cause := c.number(payloads[i])
		if cause != record.DropNone {
			c.session.out.counters.drop(cause, 1)
			continue
		}
		end := at + c.session.out.Overhead() + len(payloads[i])
		w.datagrams[n] = w.arena[at:end:end]
		w.describe(n, c.session.out, sequence, payloads[i])
		w.index[n] = uint8(i)
		n, at = n+1, end
	}
	if n == 0 {
		return 0, nil
	}
	l.plan.engine.Seal(w.packets[:n])
	good := w.gather(to, n)
	return l.socket.write(w.datagrams[:good], destinations{each: w.addresses[:good]})
}

func (w *writing) reserveArena(to []*Conn, payloads [][]byte) {
	need := 0
	for i, c := range to {
		need += c.session.out.Overhead() + len(payloads[i])
	}
	w.grow(need)
}

// number takes the next number of the connection, or says why it sends no more.
func (c *Conn) number(payload []byte) (uint64, record.Drop) {
	if len(payload) > MaxPlaintext {
		return 0, record.DropTooLong
	}
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	if c.sendError() != nil {
		return 0, record.DropClosed
	}
	sequence, granted, _ := c.session.out.sender.Reserve(1)
	if granted == 0 {
		return 0, record.DropLimit
	}
	return sequence, record.DropNone
}

// gather moves the records that were sealed together, with their addresses, and
// counts each at its connection. A run of one connection counts as one burst.
func (w *writing) gather(to []*Conn, n int) (good int) {
	var tally record.Tally
	var records, bytes uint64
	for i := range n {
		c := to[w.index[i]]
		p := &w.packets[i]
		p.Plain = nil
		if cause := record.DropOf(p.Status); cause != record.DropNone {
			tally[cause]++
		} else {
			w.datagrams[good], w.addresses[good] = w.datagrams[i], c.link.(*peer).address
			good, records, bytes = good+1, records+1, bytes+uint64(p.Len)
		}
		if i+1 == n || to[w.index[i+1]] != c {
			c.session.out.counters.add(records, bytes, &tally)
			tally, records, bytes = record.Tally{}, 0, 0
		}
	}
	return good
}
