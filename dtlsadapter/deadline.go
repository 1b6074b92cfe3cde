package dtlsadapter

import (
	"sync"
	"time"
)

// deadline is a point in time that can be moved. The zero value is none.
type deadline struct {
	mu     sync.Mutex
	passed bool
	done   chan struct{} // closed when the deadline passes
	timer  *time.Timer
	moves  uint64 // so that a timer that was too late to stop knows it is not the last
}

// set moves the deadline; a zero time is none, one in the past passes at once.
func (d *deadline) set(t time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.moves++
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if d.passed || d.done == nil {
		d.passed, d.done = false, make(chan struct{})
	}
	if t.IsZero() {
		return
	}
	wait := time.Until(t)
	if wait <= 0 {
		d.pass()
		return
	}
	move := d.moves
	d.timer = time.AfterFunc(wait, func() { d.passIf(move) })
}

func (d *deadline) pass() {
	d.passed = true
	close(d.done)
}

func (d *deadline) passIf(move uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.moves == move {
		d.pass()
	}
}

// wait is a channel that is closed when the deadline passes.
func (d *deadline) wait() <-chan struct{} {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.done == nil {
		d.done = make(chan struct{})
	}
	return d.done
}

// expired reports whether the deadline has passed.
func (d *deadline) expired() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.passed
}
