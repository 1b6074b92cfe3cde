//go:build dpdk

package dpdk_test

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/record"
)

// TestPacketsBeginOnCacheLines: that is where the kernels seal them fastest.
func TestPacketsBeginOnCacheLines(t *testing.T) {
	a, b := memif(t, newPool(t, 4096, mtu), "")
	var burst ethernet.Burst
	fill(t, a.Queue(0), &burst, 0, 64, 100)
	a.Queue(0).Send(&burst)
	collect(t, b.Queue(0), 64, func(d *record.Datagram) {
		packet := uintptr(unsafe.Pointer(unsafe.SliceData(d.Content()))) + ethernet.HeaderSize
		if packet%64 != 0 {
			t.Fatalf("a packet begins at %#x", packet)
		}
	})
}

// TestBuffersLieApart: every byte of one can be written, and none is another one's too.
func TestBuffersLieApart(t *testing.T) {
	for _, mtu := range []int{mtu, 9000} {
		t.Run(fmt.Sprint(mtu), func(t *testing.T) {
			q := open(t, dpdk.Config{Name: "net_null7,no-rx=1", Pool: newPool(t, 2048, mtu), MTU: mtu}).Queue(0)
			bursts := make([]ethernet.Burst, 4)
			for i := range bursts {
				if !q.Allocate(&bursts[i], ethernet.MaxBurst) {
					t.Fatal("no buffers")
				}
			}
			eachBuffer(bursts, func(number byte, buffer []byte) { copy(buffer, bytes.Repeat([]byte{number}, len(buffer))) })
			eachBuffer(bursts, func(number byte, buffer []byte) {
				if bytes.Count(buffer, []byte{number}) != len(buffer) {
					t.Errorf("a part of buffer %d is another one's", number)
				}
			})
			for i := range bursts {
				if q.Send(&bursts[i]) != ethernet.MaxBurst {
					t.Error("not sent")
				}
			}
		})
	}
}

func eachBuffer(bursts []ethernet.Burst, do func(number byte, buffer []byte)) {
	for i := range bursts {
		for j := range bursts[i].Frames {
			do(byte(i*ethernet.MaxBurst+j), bursts[i].Frames[j].Buf)
		}
	}
}
