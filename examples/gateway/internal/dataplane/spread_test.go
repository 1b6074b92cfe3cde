package dataplane

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// flowPacket is packet number of a flow.
func flowPacket(flow, number int) []byte {
	p := ipv4("10.1.0.9", fmt.Sprintf("10.2.3.%d", flow%200+1), 64, 64)
	binary.BigEndian.PutUint16(p[20:], uint16(flow))
	binary.BigEndian.PutUint32(p[28:], uint32(number))
	return framed(plainMAC, hostMAC, p)
}

func TestFlowsStayWithOneWorkerInOrder(t *testing.T) {
	const workers, flows, each = 4, 50, 20
	memory := newMemory(t, flows*each)
	device := memory.end()
	queues, spreader := Spread([]ethernet.Queue{device, device, device, device})
	for number := range each {
		for flow := range flows {
			device.in = append(device.in, flowPacket(flow, number))
		}
	}
	worker, next := map[uint16]int{}, map[uint16]uint32{}
	var b ethernet.Burst
	busy := 0
	for got, round := 0, 0; got < flows*each && round < 10000; round++ {
		q := round % workers
		queues[q].Receive(&b)
		for i := range b.Frames[:b.N] {
			if b.Buffers[i] == 0 {
				continue
			}
			got++
			p := b.Frames[i].Content()[14:]
			flow, number := binary.BigEndian.Uint16(p[20:]), binary.BigEndian.Uint32(p[28:])
			if before, ok := worker[flow]; ok && before != q {
				t.Fatalf("flow %d went to workers %d and %d", flow, before, q)
			}
			if worker[flow] = q; number != next[flow] {
				t.Fatalf("flow %d: packet %d after %d", flow, number, next[flow])
			}
			next[flow]++
		}
		queues[q].Send(&b)
	}
	share := map[int]int{}
	for _, q := range worker {
		share[q]++
	}
	for q := range workers {
		if share[q] > flows/workers/3 {
			busy++
		}
	}
	if len(worker) != flows || busy != workers {
		t.Errorf("%d flows, shared as %v", len(worker), share)
	}
	spreader.Drain()
}

// TestSlowWorkerLosesItsOwn and no other's.
func TestSlowWorkerLosesItsOwn(t *testing.T) {
	memory := newMemory(t, 4096)
	device := memory.end()
	queues, spreader := Spread([]ethernet.Queue{device, device})
	for i := range 3000 {
		device.in = append(device.in, flowPacket(i, 0))
	}
	var b ethernet.Burst
	kept, lost := 0, 0
	for len(device.in) > 0 {
		queues[0].Receive(&b)
		for i := range b.Frames[:b.N] {
			switch b.Frames[i].Drop {
			case record.DropNone:
				kept++
			case record.DropQueueFull:
				lost++
			}
		}
		queues[0].Send(&b)
	}
	if kept+lost+ringSize != 3000 || lost == 0 || kept < 1000 {
		t.Errorf("kept %d, lost %d", kept, lost)
	}
	spreader.Drain() // the device looks that nothing is missing
}

func TestFlowOfAnything(t *testing.T) {
	for n := range 80 {
		flowOf(&record.Datagram{Buf: make([]byte, n), Len: n})
		frame := framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 60))
		for i := range frame {
			frame[i] |= byte(n << 3)
		}
		flowOf(&record.Datagram{Buf: frame, Len: min(n, len(frame))})
	}
	first := flowPacket(1, 0)
	second := append([]byte(nil), first...)
	first[14+6], second[14+6] = 0x20, 0
	second[14+7] = 8 // a later fragment of it, whose bytes are not ports
	second[14+20] = 99
	a, b := record.Datagram{Buf: first, Len: len(first)}, record.Datagram{Buf: second, Len: len(second)}
	if flowOf(&a) != flowOf(&b) {
		t.Error("fragments of one packet go to two workers")
	}
}

// TestRingBetweenThreads keeps the order and loses nothing that it took.
func TestRingBetweenThreads(t *testing.T) {
	const frames = 50_000
	r := new(ring)
	var sender sync.WaitGroup
	sender.Go(func() {
		for i := 1; i <= frames; {
			if r.push(record.Datagram{Len: i}, uintptr(i)) {
				i++
			}
			if i%7 == 0 {
				r.publish()
				runtime.Gosched()
			}
		}
		r.publish()
	})
	var b ethernet.Burst
	for next := 1; next <= frames; {
		r.pop(&b)
		for i := range b.Frames[:b.N] {
			if b.Frames[i].Len != next || b.Buffers[i] != uintptr(next) {
				t.Fatalf("frame %d in buffer %d, want %d", b.Frames[i].Len, b.Buffers[i], next)
			}
			next++
		}
		runtime.Gosched()
	}
	sender.Wait()
}
