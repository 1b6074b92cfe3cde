//go:build dpdk

package dpdk_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/record"
)

const mtu = 1500

// started starts DPDK, once for all tests.
func started(t testing.TB) {
	t.Helper()
	if _, err := dpdk.Start(nil); err != nil {
		t.Fatal(err)
	}
}

// newPool makes a pool, and looks at the end that every buffer is back.
func newPool(t testing.TB, buffers, mtu int) *dpdk.Pool {
	t.Helper()
	started(t)
	pool, err := dpdk.NewPool(buffers, mtu)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if n := pool.Used(); n != 0 {
			t.Errorf("%d buffers are not back in the pool", n)
		}
		pool.Close()
	})
	return pool
}

func open(t testing.TB, c dpdk.Config) *dpdk.Device {
	t.Helper()
	d, err := dpdk.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	})
	return d
}

// memif joins two devices through shared memory.
func memif(t testing.TB, pool *dpdk.Pool, parameters string) (a, b *dpdk.Device) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	name := func(n int, role string) string {
		return fmt.Sprintf("net_memif%d,role=%s,socket-abstract=no,socket=%s%s", n, role, socket, parameters)
	}
	a = open(t, dpdk.Config{Name: name(0, "server"), Pool: pool, MTU: mtu})
	b = open(t, dpdk.Config{Name: name(1, "client"), Pool: pool, MTU: mtu})
	for range 400 {
		if a.Up() && b.Up() {
			var burst ethernet.Burst
			b.Queue(0).Receive(&burst) // the client's first look gives the server buffers to send in
			return a, b
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the two ends of the memif do not find each other")
	return nil, nil
}

// frame is a frame with a number in it.
func frame(number, length int) []byte {
	f := make([]byte, length)
	copy(f, "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02\x08\x00")
	for i := ethernet.HeaderSize; i < length; i++ {
		f[i] = byte(number + i)
	}
	return f
}

// fill allocates a burst of frames.
func fill(t testing.TB, q ethernet.Queue, b *ethernet.Burst, first, n, length int) {
	t.Helper()
	if !q.Allocate(b, n) {
		t.Fatal("no buffers")
	}
	for i := range n {
		d := &b.Frames[i]
		d.Len = copy(d.Buf[d.Off:], frame(first+i, length))
	}
}

// collect receives until it has n frames, and hands each to see.
func collect(t testing.TB, q ethernet.Queue, n int, see func(d *record.Datagram)) {
	t.Helper()
	var b ethernet.Burst
	for end := time.Now().Add(time.Minute); n > 0; {
		q.Receive(&b)
		for i := range b.Frames[:b.N] {
			see(&b.Frames[i])
			b.Frames[i].Drop = record.DropDummy
		}
		n -= b.N
		q.Send(&b) // gives them back
		if time.Now().After(end) {
			t.Fatalf("%d frames do not come", n)
		}
	}
}
