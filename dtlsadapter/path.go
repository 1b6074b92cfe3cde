package dtlsadapter

import (
	"sync"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// Halves are what seals and opens the connection's records. A data path of the caller's
// own may use them beside the connection, whose numbers and replay window they share:
// what is opened there Read does not see. They end with the connection, which closes them.
func (c *Conn) Halves() (*Outbound, *Inbound) { return c.session.out, c.session.in }

// Path seals and opens records of any number of halves of one engine, a burst in one
// call of the engine however many halves it has. Any number of goroutines may use it at
// once.
type Path struct {
	engine  *engine.Engine
	sealing sync.Pool // of *sealing
	opening sync.Pool // of *opener
}

// NewPath makes a path for halves of that engine.
func NewPath(e *engine.Engine) *Path {
	return &Path{
		engine: e,
		sealing: sync.Pool{New: func() any {
			s := new(sealing)
			s.prepare()
			return s
		}},
		opening: sync.Pool{New: func() any { return newOpener(e) }},
	}
}

// Protect does what Outbound.Protect does, with by[i] for burst[i]; by is as long as
// burst, and nil where the datagram has a cause already. Each half's records are
// numbered in the order of the burst.
func (p *Path) Protect(burst []record.Datagram, by []*Outbound) (done int) {
	s := p.sealing.Get().(*sealing)
	for len(burst) > 0 {
		n := min(len(burst), burstSize)
		done += p.protect(s, burst[:n], by[:n])
		burst, by = burst[n:], by[n:]
	}
	p.sealing.Put(s)
	return done
}

func (p *Path) protect(s *sealing, burst []record.Datagram, by []*Outbound) (done int) {
	n := 0
	for at := 0; at < len(burst); {
		end := runOf(by, at)
		n = by[at].number(s, burst, at, end, n)
		at = end
	}
	if n == 0 {
		return 0
	}
	p.engine.Seal(s.packets[:n])
	for i := 0; i < n; {
		o, end := by[s.index[i]], i+1
		for end < n && by[s.index[end]] == o {
			end++
		}
		done += o.settle(s, burst, i, end)
		i = end
	}
	return done
}

// runOf is the end of the run of equal halves that begins at some place.
func runOf[H comparable](by []H, at int) int {
	end := at + 1
	for end < len(by) && by[end] == by[at] {
		end++
	}
	return end
}

// number gives numbers to the datagrams of a run, describes them from packet n on, and
// says how many packets there are then.
func (o *Outbound) number(s *sealing, burst []record.Datagram, at, end, n int) int {
	if o == nil {
		return n
	}
	var tally record.Tally
	start := n
	n = o.admit(s, burst, at, end, n, &tally)
	first, granted, _ := o.sender.Reserve(n - start)
	for i := start; i < n; i++ {
		d := &burst[s.index[i]]
		if i-start >= granted {
			d.Drop = record.DropLimit
			tally[record.DropLimit]++
			continue
		}
		o.place(s, i, d, first+uint64(i-start))
	}
	if tally.Dropped() != 0 {
		o.counters.add(0, 0, &tally)
	}
	return start + granted
}

// settle takes over what became of a run of packets.
func (o *Outbound) settle(s *sealing, burst []record.Datagram, at, end int) int {
	var tally record.Tally
	var bytes uint64
	done := 0
	for i := at; i < end; i++ {
		d := &burst[s.index[i]]
		if d.Drop = record.DropOf(s.packets[i].Status); d.Drop != record.DropNone {
			tally[d.Drop]++
			continue
		}
		bytes += uint64(d.Len)
		d.Off -= headerSize + o.explicit
		d.Len += headerSize + o.explicit + o.tag
		done++
	}
	o.counters.add(uint64(done), bytes, &tally)
	return done
}

// Unprotect does what Inbound.Unprotect does, with by[i] for burst[i]; by is as long as
// burst, and nil where the datagram has a cause already.
func (p *Path) Unprotect(burst []record.Datagram, by []*Inbound) (done int) {
	o := p.opening.Get().(*opener)
	for len(burst) > 0 {
		n := min(len(burst), openSize)
		done += p.unprotect(o, burst[:n], by[:n])
		burst, by = burst[n:], by[n:]
	}
	p.opening.Put(o)
	return done
}

func (p *Path) unprotect(o *opener, burst []record.Datagram, by []*Inbound) (done int) {
	var which [openSize]uint8
	var last *Inbound
	for i := range burst {
		d := &burst[i]
		if d.Drop != record.DropNone || by[i] == nil || !by[i].suits(d) {
			continue
		}
		if by[i] != last {
			last = by[i]
			o.begin(last, nil)
		}
		which[o.n] = uint8(i)
		o.add(d.Content())
	}
	o.open()
	for i, at := range which[:o.n] {
		d, in := &burst[at], by[at]
		if d.Drop = o.arrivals[i].Drop; d.Drop == record.DropNone {
			d.Off += headerSize + in.explicit
			d.Len -= headerSize + in.explicit + in.tag
			done++
		}
	}
	o.reset()
	return done
}
