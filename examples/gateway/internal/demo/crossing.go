package demo

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/record"
)

// Verdict says how the packets that came out compare with those that went in.
type Verdict struct {
	Sent    uint64 `json:"sent"`
	Same    uint64 `json:"same"`    // byte for byte
	Differ  uint64 `json:"differ"`  // came out as something else
	Missing uint64 `json:"missing"` // did not come out
}

// Good reports whether every packet came out as it went in.
func (v *Verdict) Good() bool { return v.Same == v.Sent }

const (
	// flightBytes and flightPackets bound what is in the tunnel at a time, so that
	// none of its queues overflows: it may lose nothing.
	flightBytes   = 256 << 10
	flightPackets = 512
	// stall is how long nothing may come out before the rest counts as missing.
	stall = 3 * time.Second
)

// crossing sends packets in at one side and compares what comes out at the other.
type crossing struct {
	near, far *memory.Port
	burst     []record.Datagram
	verdict   Verdict
}

func newCrossing(near, far *memory.Port, longest int) *crossing {
	return &crossing{near: near, far: far, burst: port.NewBurst(port.MaxBurst, longest)}
}

// repeat sends the packets round after round until the time is over, at least
// once. It tells step after each round how much of the time that was.
func (c *crossing) repeat(ctx context.Context, packets [][]byte, atLeast time.Duration, step func(part float64)) (time.Duration, error) {
	begin := time.Now()
	for {
		for rest := packets; len(rest) > 0; {
			n := flight(rest)
			if err := c.fly(ctx, rest[:n]); err != nil {
				return time.Since(begin), err
			}
			rest = rest[n:]
		}
		spent := time.Since(begin)
		step(min(1, float64(spent)/float64(max(atLeast, 1))))
		if spent >= atLeast {
			return spent, nil
		}
	}
}

// flight is how many of the first packets may be in the tunnel at once.
func flight(packets [][]byte) int {
	n, bytes := 0, 0
	for n < min(len(packets), flightPackets) && (n == 0 || bytes+len(packets[n]) <= flightBytes) {
		bytes += len(packets[n])
		n++
	}
	return n
}

// fly sends packets and waits for all of them.
func (c *crossing) fly(ctx context.Context, packets [][]byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.verdict.Sent += uint64(len(packets))
	for rest := packets; len(rest) > 0; {
		n := min(len(rest), len(c.burst))
		for i := range n {
			port.Put(&c.burst[i], rest[i])
		}
		if _, err := c.near.Send(c.burst[:n]); err != nil {
			return fmt.Errorf("the near gateway takes no packets: %w", err)
		}
		rest = rest[n:]
	}
	return c.land(packets)
}

func (c *crossing) land(packets [][]byte) error {
	patience := time.AfterFunc(stall, func() { _ = c.far.Close() })
	defer patience.Stop()
	for len(packets) > 0 {
		n, err := c.far.Receive(c.burst[:min(len(packets), len(c.burst))])
		if err != nil {
			c.verdict.Missing += uint64(len(packets))
			return fmt.Errorf("%d packets did not come out of the tunnel: %w", len(packets), err)
		}
		for i := range n {
			if bytes.Equal(c.burst[i].Content(), packets[i]) {
				c.verdict.Same++
			} else {
				c.verdict.Differ++
			}
		}
		packets = packets[n:]
	}
	return nil
}
