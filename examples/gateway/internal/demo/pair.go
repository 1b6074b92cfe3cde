package demo

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
)

const (
	ringDepth  = 1024
	plainDepth = 256
)

// pair is two gateways back to back. Packets go in at a and come out at b, or the
// other way.
type pair struct {
	a, b    *memory.Port // the outer ends of the plain sides
	inner   [2]*memory.Port
	stop    func()        // ends the tunnel between them
	tell    func(*Report) // writes down what the tunnel knows
	running sync.WaitGroup
	mu      sync.Mutex
	failure error
}

// newPair makes the plain sides of two gateways for packets of that length.
func newPair(longest int) *pair {
	p := &pair{}
	p.a, p.inner[0] = memory.Pair(plainDepth, longest)
	p.b, p.inner[1] = memory.Pair(plainDepth, longest)
	return p
}

// run runs one loop of a gateway.
func (p *pair) run(name string, loop func() error) {
	p.running.Go(func() { p.note(name, loop()) })
}

// note keeps the first error that is not the end of the demonstration.
func (p *pair) note(name string, err error) {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, dtlsadapter.ErrPeerClosed) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failure == nil {
		p.failure = fmt.Errorf("gateway of the %s: %w", name, err)
	}
}

// close stops both gateways and says what went wrong in them.
func (p *pair) close() error {
	p.stop()
	for _, plain := range []*memory.Port{p.inner[0], p.inner[1], p.a, p.b} {
		_ = plain.Close()
	}
	p.running.Wait()
	return p.failure
}
