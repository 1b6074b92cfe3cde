package dtlsadapter

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"

	"github.com/sealburst/sealburst/record"
)

// writing is the scratch of one WriteBurst.
type writing struct {
	sealing
	arena     []byte
	datagrams [burstSize][]byte
	one       [1][]byte
	addresses [burstSize]netip.AddrPort // of a listener's burst
}

func newWriters() *sync.Pool {
	return &sync.Pool{New: func() any {
		w := new(writing)
		w.prepare()
		return w
	}}
}

// Write sends one record. It fails with ErrTooLong for more than MaxPlaintext bytes,
// and as WriteBurst does.
func (c *Conn) Write(payload []byte) (int, error) {
	w := c.writers.Get().(*writing)
	defer c.writers.Put(w)
	w.one[0] = payload
	_, err := c.writeBurst(w, w.one[:])
	w.one[0] = nil
	if err != nil {
		return 0, err
	}
	return len(payload), nil
}

// WriteBurst sends each payload as one record, in one datagram each, and returns how
// many it sent before an error. The payloads are only read. When the sequence
// numbers are exhausted it sends as many as are left and returns
// record.ErrNumbersExhausted.
func (c *Conn) WriteBurst(payloads [][]byte) (n int, err error) {
	w := c.writers.Get().(*writing)
	defer c.writers.Put(w)
	return c.writeBurst(w, payloads)
}

func (c *Conn) writeBurst(w *writing, payloads [][]byte) (n int, err error) {
	if c.writeLimit.expired() {
		return 0, os.ErrDeadlineExceeded
	}
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	for n < len(payloads) && err == nil {
		if err := c.sendError(); err != nil {
			return n, err
		}
		var sealed, sent int
		sealed, err = w.seal(c.session.out, payloads[n:min(len(payloads), n+burstSize)])
		sent, err = c.transmit(w.datagrams[:sealed], err)
		n += sent
	}
	return n, err
}

// transmit sends sealed datagrams, then passes on what sealing ended with.
func (c *Conn) transmit(datagrams [][]byte, sealed error) (int, error) {
	sent, err := c.link.WriteBatch(datagrams)
	if sent < len(datagrams) && reported(err) {
		var more int
		more, err = c.link.WriteBatch(datagrams[sent:])
		sent += more
	}
	switch {
	case err == nil:
		return sent, sealed
	case c.closing.Load():
		return sent, net.ErrClosed
	}
	return sent, err
}

// reported reports whether a socket's error is the echo of an earlier datagram: an
// ICMP message that anybody can forge, and that says nothing of this one.
func reported(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
}

// seal makes records of at most burstSize payloads and returns how many. The first
// payload that cannot be sealed ends the burst with an error.
func (w *writing) seal(o *Outbound, payloads [][]byte) (int, error) {
	n, err := w.room(o, payloads)
	first, granted, full := o.sender.Reserve(n)
	if granted < n {
		n, err = granted, full
	}
	if n == 0 {
		return 0, err
	}
	at := 0
	for i, payload := range payloads[:n] {
		end := at + o.Overhead() + len(payload)
		w.datagrams[i] = w.arena[at:end:end]
		w.describe(i, o, first+uint64(i), payload)
		at = end
	}
	o.engine.Seal(w.packets[:n])
	sealed, failed := w.sealed(o, n)
	return sealed, errors.Join(failed, err)
}

// room finds how many payloads can be sealed, and memory for them.
func (w *writing) room(o *Outbound, payloads [][]byte) (n int, err error) {
	need := 0
	for ; n < len(payloads); n++ {
		if len(payloads[n]) > MaxPlaintext {
			err = ErrTooLong
			break
		}
		need += o.Overhead() + len(payloads[n])
	}
	w.grow(need)
	return n, err
}

func (w *writing) grow(need int) {
	if len(w.arena) < need {
		w.arena = make([]byte, need)
	}
}

// describe prepares the i-th datagram of the burst, which takes a payload from where it lies.
func (w *writing) describe(i int, o *Outbound, sequence uint64, payload []byte) {
	p := &w.packets[i]
	o.fill(p, &w.aads[i], w.datagrams[i], typeApplicationData, sequence, len(payload))
	if payload != nil {
		p.Plain = payload
	}
}

// sealed counts the burst and returns how many of its records are good from the start.
func (w *writing) sealed(o *Outbound, n int) (good int, err error) {
	var tally record.Tally
	var bytes uint64
	for i := range w.packets[:n] {
		p := &w.packets[i]
		p.Plain = nil
		if cause := record.DropOf(p.Status); cause != record.DropNone || err != nil {
			tally[cause]++
			err = errors.Join(err, p.Status.Err())
			continue
		}
		good, bytes = good+1, bytes+uint64(p.Len)
	}
	o.counters.add(uint64(good), bytes, &tally)
	return good, err
}

// relay sends a datagram of pion's. Records of epoch 0 go as they are; those of
// epoch 1 are opened and sealed anew under the connection's next numbers, so that no
// nonce of pion's, which are random, ever leaves. What the transport loses is lost,
// and so is what pion still says after the connection's close_notify.
func (c *Conn) relay(datagram []byte) (err error) {
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	if c.sendError() != nil {
		return nil
	}
	out := make([]byte, 0, len(datagram)+maxOverhead)
	for rest := datagram; len(rest) > 0; {
		rec, behind, ok := cutRecord(rest)
		if !ok {
			return io.ErrShortWrite
		}
		if out, err = c.relayRecord(out, rec); err != nil {
			return err
		}
		rest = behind
	}
	if len(out) == 0 {
		return nil
	}
	if _, err := c.link.Write(out); gone(err) {
		return err
	}
	return nil
}

func (c *Conn) relayRecord(out, rec []byte) ([]byte, error) {
	h := parseHeader(rec)
	if h.epoch() == 0 {
		c.secrets.sent(rec)
		return append(out, rec...), nil
	}
	if h.kind == typeAlert && h.length == 2 { // pion leaves it in the clear when its handshake fails
		return c.relayAlert(out, rec[headerSize:])
	}
	s, err := c.prove(rec)
	if err != nil {
		return out, err
	}
	plain, err := s.own.open(rec)
	if err != nil {
		return out, err
	}
	return s.out.appendRecord(out, h.kind, plain)
}

// relayAlert seals an alert if there are keys, and otherwise lets it go.
func (c *Conn) relayAlert(out, alert []byte) ([]byte, error) {
	c.mu.Lock()
	s := c.session
	c.mu.Unlock()
	if s == nil {
		return out, nil
	}
	return s.out.appendRecord(out, typeAlert, alert)
}

// prove makes the session when pion sends its first record of epoch 1.
func (c *Conn) prove(own []byte) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		return c.session, nil
	}
	a, err := c.secrets.prove(c.plan.engine, own)
	if err != nil {
		return nil, err
	}
	c.session, err = c.newSession(a)
	return c.session, err
}

func (c *Conn) newSession(a *agreement) (*session, error) {
	local, peer, err := a.writeKeys(c.server)
	defer local.Erase()
	defer peer.Erase()
	if err != nil {
		return nil, err
	}
	out, err := NewOutbound(c.plan.engine, local)
	if err != nil {
		return nil, err
	}
	// pion takes a negative window for its default.
	in, err := NewInbound(c.plan.engine, peer, max(c.plan.user.ReplayProtectionWindow, 0))
	if err != nil {
		out.Close()
		return nil, err
	}
	own, err := newOwnOpener(c.plan.engine, a.suite, &local)
	if err != nil {
		out.Close()
		in.Close()
		return nil, err
	}
	return &session{a, out, in, own}, nil
}
