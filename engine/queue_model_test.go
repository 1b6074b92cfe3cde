package engine

import (
	"errors"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"pgregory.net/rapid"
)

// queueModel is what a queue must be: a list of the bursts inside.
type queueModel struct {
	e      *Engine
	q      *Queue
	d      *fakeDevice
	keys   []*Key
	depth  int
	inside []int // tags, the oldest first
	next   int
	closed bool
	counts QueueStats
}

// TestQueueModel submits, polls, closes keys and holds the device in any order, and
// compares with the list.
func TestQueueModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := &fakeDevice{lanes: 1, inFlight: rapid.IntRange(1, 4).Draw(r, "in flight")}
		m := &queueModel{d: d, e: offloaded(t, d), depth: rapid.IntRange(1, 6).Draw(r, "depth")}
		q, err := m.e.NewQueue(QueueConfig{Depth: m.depth, Workers: rapid.IntRange(1, 3).Draw(r, "workers")})
		if err != nil {
			r.Fatal(err)
		}
		defer m.e.Close()
		m.q = q
		for _, alg := range []Algorithm{ciphers.AES128GCM, ciphers.AES256GCM, ciphers.ChaCha20Poly1305} {
			m.keys = append(m.keys, mustKey(t, m.e, specOf(alg, ciphers.Sealing)))
		}
		r.Repeat(map[string]func(*rapid.T){
			"submit":    m.submit,
			"poll":      m.poll,
			"hold":      func(r *rapid.T) { d.hold(rapid.Bool().Draw(r, "held")) },
			"close key": m.closeKey,
			"close":     m.close,
			"":          m.check,
		})
		d.hold(false)
		for len(m.inside) > 0 {
			m.poll(r)
		}
	})
}

func (m *queueModel) submit(r *rapid.T) {
	w := Work{Op: OpSeal, Packets: m.packets(r), Tag: m.next}
	err := m.q.Submit(w)
	switch {
	case m.closed:
		if !errors.Is(err, ErrClosed) {
			r.Fatalf("closed: %v", err)
		}
	case len(m.inside) == m.depth:
		m.counts.Rejected++
		if !errors.Is(err, ErrQueueFull) {
			r.Fatalf("full: %v", err)
		}
	case err != nil:
		r.Fatal(err)
	default:
		m.inside = append(m.inside, m.next)
		m.next++
		m.counts.Bursts++
		m.counts.Packets += uint64(len(w.Packets))
		m.counts.Deepest = max(m.counts.Deepest, len(m.inside))
	}
}

// packets are a burst under one key or several, some of them broken.
func (m *queueModel) packets(r *rapid.T) []Packet {
	ps := sealable(m.keys[0], rapid.IntRange(1, 6).Draw(r, "packets"))
	mixed := rapid.IntRange(0, 3).Draw(r, "mixed") == 0
	which := rapid.IntRange(0, 2).Draw(r, "key")
	for i := range ps {
		if mixed {
			which = rapid.IntRange(0, 2).Draw(r, "key")
		}
		ps[i].Key = m.keys[which]
		if rapid.IntRange(0, 9).Draw(r, "broken") == 0 {
			ps[i].Off = 9999
		}
	}
	return ps
}

func (m *queueModel) poll(r *rapid.T) {
	done := make([]Work, rapid.IntRange(0, 4).Draw(r, "room"))
	n := m.q.Poll(done)
	if n > len(m.inside) {
		r.Fatalf("%d bursts came back of %d", n, len(m.inside))
	}
	for i, w := range done[:n] {
		if w.Tag != m.inside[i] {
			r.Fatalf("burst %v came back, and %d was due", w.Tag, m.inside[i])
		}
		for j := range w.Packets {
			m.settled(r, &w.Packets[j])
		}
	}
	m.inside = m.inside[n:]
}

func (m *queueModel) settled(r *rapid.T, p *Packet) {
	switch {
	case p.Status == ciphers.StatusOK && p.Off != 9999, p.Status == ciphers.StatusKeyClosed:
	case p.Status == ciphers.StatusPayload && p.Off == 9999:
	default:
		r.Fatalf("status %v at offset %d", p.Status, p.Off)
	}
}

// closeKey replaces a key. The device must not hold on, or Close waits forever.
func (m *queueModel) closeKey(r *rapid.T) {
	if m.closed {
		return
	}
	m.d.hold(false)
	i := rapid.IntRange(0, 2).Draw(r, "key")
	old := m.keys[i]
	old.Close()
	if !zero(old.State(ciphers.SlotBulk).Schedule()) {
		r.Fatal("a key is not zero after Close")
	}
	k, err := m.e.NewKey(specOf(old.Algorithm(), ciphers.Sealing))
	if err != nil {
		r.Fatal(err)
	}
	m.keys[i] = k
}

func (m *queueModel) close(r *rapid.T) {
	if rapid.IntRange(0, 9).Draw(r, "close") > 0 {
		return
	}
	m.d.hold(false)
	m.q.Close()
	m.closed = true
}

func (m *queueModel) check(r *rapid.T) {
	st := m.q.Stats()
	want := m.counts
	want.Depth, want.Capacity = len(m.inside), m.depth
	if st != want {
		r.Fatalf("%+v, want %+v", st, want)
	}
}
