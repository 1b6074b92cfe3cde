package probe

import (
	"fmt"
	"time"
)

// pings is the schedule of the PING frames, and what became of them.
type pings struct {
	count    int
	interval time.Duration
	wait     time.Duration
	single   bool // one at a time: a key update needs an answer to the last

	dueAt   time.Time // when the next is due
	sent    int
	open    []Ping
	openAt  []time.Time // when each of open was sent
	settled []Ping
}

func (p *pings) init(cfg *Config) {
	p.count, p.interval, p.wait, p.single = cfg.Count, cfg.Interval, cfg.Wait, cfg.Update
}

// start begins the schedule; the first ping is due at once.
func (p *pings) start(now time.Time) { p.dueAt = now }

func (p *pings) done() bool { return len(p.settled) == p.count }

func (p *pings) due(now time.Time) bool {
	return p.more() && !p.dueAt.After(now)
}

// more reports that there is a ping to send, now or later.
func (p *pings) more() bool {
	return p.sent < p.count && (!p.single || len(p.open) == 0)
}

// next is when the schedule has something to do; zero for never.
func (p *pings) next(ready bool) (at time.Time) {
	if !ready {
		return at
	}
	if p.more() {
		at = p.dueAt
	}
	if len(p.openAt) > 0 {
		at = earlier(at, p.openAt[0].Add(p.wait))
	}
	return at
}

// send counts a ping as sent and returns its sequence, from 1. A late one delays those
// behind it.
func (p *pings) send(now time.Time) int {
	p.sent++
	p.dueAt = now.Add(p.interval)
	p.open, p.openAt = append(p.open, Ping{Sequence: p.sent}), append(p.openAt, now)
	return p.sent
}

// notBefore puts the next ping off.
func (p *pings) notBefore(t time.Time) {
	if t.After(p.dueAt) {
		p.dueAt = t
	}
}

// number notes the packet that carries a ping.
func (p *pings) number(sequence int, number, phase uint64) {
	for i := range p.open {
		if o := &p.open[i]; o.Sequence == sequence {
			o.Number, o.Phase = number, phase
		}
	}
}

// answered settles the ping of a packet that was acknowledged, unless it was given up.
func (p *pings) answered(packet *sent, phase uint64, delay time.Duration, now time.Time, cfg *Config) {
	for i := range p.open {
		if o := &p.open[i]; o.Sequence == packet.ping {
			o.Time, o.Answered = now.Sub(packet.at), phase
			if o.Time > delay {
				o.Time -= delay
			}
			p.settle(i, cfg)
			return
		}
	}
}

// expire gives up the pings that have waited long enough.
func (p *pings) expire(now time.Time, cfg *Config) {
	for len(p.openAt) > 0 && now.Sub(p.openAt[0]) >= p.wait {
		p.open[0].Lost = true
		p.settle(0, cfg)
	}
}

func (p *pings) settle(i int, cfg *Config) {
	done := p.open[i]
	p.open = append(p.open[:i], p.open[i+1:]...)
	p.openAt = append(p.openAt[:i], p.openAt[i+1:]...)
	p.settled = append(p.settled, done)
	if cfg.Reply != nil {
		cfg.Reply(done)
	}
}

// verdict is ErrLost when a ping was lost.
func (p *pings) verdict() error {
	lost := 0
	for _, ping := range p.settled {
		if ping.Lost {
			lost++
		}
	}
	if lost > 0 {
		return fmt.Errorf("%w: %d of %d", ErrLost, lost, len(p.settled))
	}
	return nil
}
