package dataplane

import (
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// memory is a device for tests: what is put into it is received, what is sent is kept.
type memory struct {
	t    *testing.T
	free []uintptr // buffers
	all  [][]byte
}

const memoryHeadroom = 128

func newMemory(t *testing.T, buffers int) *memory {
	m := &memory{t: t, all: make([][]byte, buffers+1)}
	for i := 1; i <= buffers; i++ {
		m.all[i] = make([]byte, memoryHeadroom+2048)
		m.free = append(m.free, uintptr(i))
	}
	t.Cleanup(func() {
		if len(m.free) != buffers {
			t.Errorf("%d of %d buffers are back", len(m.free), buffers)
		}
	})
	return m
}

// end is another device with the same buffers.
func (m *memory) end() *end { return &end{memory: m} }

type end struct {
	*memory
	in, out [][]byte
	full    bool
	udp     bool
}

func (e *end) ChecksUDP() bool { return e.udp }

func (e *end) Receive(b *ethernet.Burst) {
	n := min(len(e.in), ethernet.MaxBurst)
	if n == 0 {
		b.N = 0
		return
	}
	if !e.Allocate(b, n) {
		e.t.Fatal("no buffers")
	}
	for i := range n {
		b.Frames[i].Len = copy(b.Frames[i].Buf[memoryHeadroom:], e.in[i])
	}
	e.in = e.in[n:]
}

func (e *end) Allocate(b *ethernet.Burst, n int) bool {
	b.N = 0
	if len(e.free) < n {
		return false
	}
	for i := range n {
		name := e.free[len(e.free)-1]
		e.free = e.free[:len(e.free)-1]
		b.Buffers[i] = name
		b.Frames[i] = record.Datagram{Buf: e.all[name], Off: memoryHeadroom}
	}
	b.N = n
	return true
}

func (e *end) Send(b *ethernet.Burst) (sent int) {
	for i := range b.Frames[:b.N] {
		d := &b.Frames[i]
		if b.Buffers[i] == 0 {
			continue
		}
		if d.Drop == record.DropNone && !e.full {
			e.out = append(e.out, append([]byte(nil), d.Content()...))
			sent++
		}
		e.free = append(e.free, b.Buffers[i])
		b.Buffers[i] = 0
	}
	b.N = 0
	return sent
}

func (e *end) Exchange(b *ethernet.Burst) int {
	sent := e.Send(b)
	e.Receive(b)
	return sent
}
