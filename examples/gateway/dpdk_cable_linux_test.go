//go:build dpdk

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/internal/memif"
)

// cable is the far side of one of the gateway's devices: shared memory.
type cable struct {
	link   *memif.Link
	mu     sync.Mutex // of those who send
	sent   uint64     // frames that the gateway's device has got
	closed atomic.Bool
	done   chan struct{}
}

// plugIn listens for the gateway's device, of which it returns how to name it, and a
// function that waits until both are joined.
func plugIn(t *testing.T, number int) (device string, joined func(take func(frame []byte)) *cable) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	l, err := memif.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	timeout := time.AfterFunc(patience, func() { _ = l.Close() })
	device = fmt.Sprintf("net_memif%d,role=client,socket-abstract=no,socket=%s", number, path)
	return device, func(take func([]byte)) *cable {
		t.Helper()
		defer timeout.Stop()
		link, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		c := &cable{link: link, done: make(chan struct{})}
		go c.run(take)
		t.Cleanup(func() {
			c.unplug()
			_ = link.Close()
			_ = l.Close()
		})
		return c
	}
}

func (c *cable) run(take func([]byte)) {
	defer close(c.done)
	for !c.closed.Load() {
		if c.link.Receive(take) == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// unplug waits until the last frame that has come is taken.
func (c *cable) unplug() {
	c.mu.Lock()
	c.closed.Store(true)
	c.mu.Unlock()
	<-c.done
}

// send waits for room.
func (c *cable) send(frame []byte) { c.offer(context.Background(), frame) }

// offer does so until ctx is over, and reports whether there was any.
func (c *cable) offer(ctx context.Context, frame []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.closed.Load() && ctx.Err() == nil {
		if c.link.Send(frame) {
			c.sent++
			return true
		}
		time.Sleep(10 * time.Microsecond)
	}
	return false
}
