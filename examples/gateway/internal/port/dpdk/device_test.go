//go:build dpdk

package dpdk_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/record"
)

func TestFramesThroughSharedMemory(t *testing.T) {
	a, b := memif(t, newPool(t, 8192, mtu), "")
	var burst ethernet.Burst
	for _, length := range []int{ethernet.HeaderSize, ethernet.MinFrame, 777, mtu + ethernet.HeaderSize} {
		fill(t, a.Queue(0), &burst, 0, 64, length)
		burst.Frames[7].Drop = record.DropReplayed // given back, not sent
		if sent := a.Queue(0).Send(&burst); sent != 63 || burst.N != 0 {
			t.Fatalf("%d bytes: sent %d, %d left", length, sent, burst.N)
		}
		next := 0
		collect(t, b.Queue(0), 63, func(d *record.Datagram) {
			if next == 7 {
				next++
			}
			if d.Drop != record.DropNone || !bytes.Equal(d.Content(), frame(next, length)) {
				t.Fatalf("%d bytes: frame %d differs: %v, %x", length, next, d.Drop, d.Content())
			}
			if d.Headroom() < port.Headroom || d.Tailroom() < port.Tailroom {
				t.Fatalf("%d bytes: %d in front and %d behind", length, d.Headroom(), d.Tailroom())
			}
			next++
		})
	}
}

// TestBorrowedBuffersGoThroughAnotherDevice forwards without copying.
func TestBorrowedBuffersGoThroughAnotherDevice(t *testing.T) {
	pool := newPool(t, 8192, mtu)
	a := open(t, dpdk.Config{Name: "net_ring0", Pool: pool})
	b := open(t, dpdk.Config{Name: "net_ring1", Pool: pool})
	var burst ethernet.Burst
	fill(t, a.Queue(0), &burst, 5, 32, 100)
	first := burst.Buffers[0]
	if a.Queue(0).Send(&burst) != 32 { // a ring of DPDK's gives back what it was sent
		t.Fatal("not sent")
	}
	a.Queue(0).Receive(&burst)
	if burst.N != 32 || burst.Buffers[0] != first {
		t.Fatalf("%d frames, the first one in buffer %x instead of %x", burst.N, burst.Buffers[0], first)
	}
	burst.Frames[0].Off += 10
	burst.Frames[0].Len -= 10
	b.Queue(0).Send(&burst)
	next := 5
	collect(t, b.Queue(0), 32, func(d *record.Datagram) {
		want := frame(next, 100)
		if next == 5 {
			want = want[10:]
		}
		if !bytes.Equal(d.Content(), want) {
			t.Fatalf("frame %d differs", next)
		}
		next++
	})
}

// TestExchangeSendsAndThenReceives in the place of what was sent, from a device that gives that
// back at once.
func TestExchangeSendsAndThenReceives(t *testing.T) {
	pool := newPool(t, 4096, mtu)
	d := open(t, dpdk.Config{Name: "net_ring4", Pool: pool})
	q := d.Queue(0)
	var burst ethernet.Burst
	if sent := q.Exchange(&burst); sent != 0 || burst.N != 0 {
		t.Fatalf("nothing: sent %d, received %d", sent, burst.N)
	}
	fill(t, q, &burst, 3, 32, 100)
	burst.Frames[1].Drop = record.DropReplayed
	if sent := q.Exchange(&burst); sent != 31 || burst.N != 31 {
		t.Fatalf("sent %d, received %d", sent, burst.N)
	}
	for i, number := range []int{3, 5, 6} {
		if d := &burst.Frames[i]; !bytes.Equal(d.Content(), frame(number, 100)) || d.Drop != record.DropNone {
			t.Errorf("frame %d differs", i)
		}
	}
	q.Send(&burst)
	burst.N = 0
	if sent := q.Exchange(&burst); sent != 0 || burst.N != 31 {
		t.Fatalf("after that: sent %d, received %d", sent, burst.N)
	}
	for i := range burst.Frames[:burst.N] {
		burst.Frames[i].Drop = record.DropDummy
	}
	q.Send(&burst)
}

// TestJumboFrames have buffers as long as the MTU asks for.
func TestJumboFrames(t *testing.T) {
	pool := newPool(t, 2048, 9000)
	d := open(t, dpdk.Config{Name: "net_ring2", Pool: pool, MTU: 9000})
	var burst ethernet.Burst
	fill(t, d.Queue(0), &burst, 1, 4, 9000+ethernet.HeaderSize)
	d.Queue(0).Send(&burst)
	collect(t, d.Queue(0), 4, func(d *record.Datagram) {
		if d.Len != 9000+ethernet.HeaderSize || d.Tailroom() < port.Tailroom {
			t.Errorf("%d bytes, %d behind", d.Len, d.Tailroom())
		}
	})
}

// TestFullDeviceLosesWhatItDoesNotTake and keeps no buffer.
func TestFullDeviceLosesWhatItDoesNotTake(t *testing.T) {
	pool := newPool(t, 4096, mtu)
	d := open(t, dpdk.Config{Name: "net_ring3", Pool: pool})
	var burst ethernet.Burst
	sent := 0
	for range 40 { // a ring holds 1023
		fill(t, d.Queue(0), &burst, 0, 64, 60)
		sent += d.Queue(0).Send(&burst)
	}
	if sent < 1000 || sent >= 40*64 {
		t.Errorf("sent %d", sent)
	}
	collect(t, d.Queue(0), sent, func(*record.Datagram) {})
}

func TestMoreThreadsThanQueuesShare(t *testing.T) {
	pool := newPool(t, 4096, mtu)
	d := open(t, dpdk.Config{Name: "net_pcap3,rx_pcap=testdata/frames.pcap,tx_pcap=/dev/null", Pool: pool, Queues: 3})
	var burst ethernet.Burst
	for i := range 3 {
		fill(t, d.Queue(i), &burst, 0, 8, 60)
		if n := d.Queue(i).Send(&burst); n != 8 {
			t.Errorf("thread %d sent %d", i, n)
		}
	}
	if n := d.ReceivingQueues(); n != 1 {
		t.Errorf("%d queues receive", n)
	}
	d.Queue(2).Receive(&burst)
	if burst.N != 0 {
		t.Error("a queue that does not receive did")
	}
}

// TestFrameInSeveralBuffers is longer than the MTU: it is dropped, and gives all of them back.
func TestFrameInSeveralBuffers(t *testing.T) {
	file := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	file = append(file, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 1, 0, 0, 0)
	for _, length := range []uint32{9000, 60} {
		file = append(file, make([]byte, 8)...)
		file = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(file, length), length)
		file = append(file, frame(3, int(length))...)
	}
	path := filepath.Join(t.TempDir(), "jumbo.pcap")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	d := open(t, dpdk.Config{Name: "net_pcap4,rx_pcap=" + path + ",tx_pcap=/dev/null", Pool: newPool(t, 4096, mtu)})
	var causes []record.Drop
	collect(t, d.Queue(0), 2, func(d *record.Datagram) { causes = append(causes, d.Drop) })
	if causes[0] != record.DropTooLong || causes[1] != record.DropNone {
		t.Errorf("%v", causes)
	}
}

// TestBadDevices give one line that names the device.
func TestBadDevices(t *testing.T) {
	pool := newPool(t, 1024, mtu)
	for _, c := range []struct {
		config dpdk.Config
		want   error
	}{
		{dpdk.Config{Name: "net_nonsense0", Pool: pool}, nil},
		{dpdk.Config{Name: "crypto_null0", Pool: pool}, dpdk.ErrNoDevice},
		{dpdk.Config{Name: "net_pcap9,rx_pcap=/nowhere", Pool: pool}, nil},
		{dpdk.Config{Name: "net_ring9", MTU: 1 << 20, Pool: pool}, nil},
		{dpdk.Config{Name: "0000:ff:1f.7", Pool: pool}, nil},
		{dpdk.Config{Name: "net_af_packet9,iface=lo,qpairs=2", MTU: mtu, Pool: pool}, nil},
	} {
		_, err := dpdk.Open(c.config)
		name, _, _ := strings.Cut(c.config.Name, ",")
		if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), name) || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.config.Name, err)
		}
	}
}

func TestPoolWithoutMemory(t *testing.T) {
	started(t)
	if _, err := dpdk.NewPool(1<<24, 9000); err == nil || !strings.Contains(err.Error(), fmt.Sprint(1<<24)) {
		t.Errorf("%v", err)
	}
	if _, err := dpdk.NewPool(64, 1<<16); err == nil {
		t.Error("buffers for packets of 65536 bytes")
	}
}
