package dtlsadapter

import (
	"bytes"
	"net"
	"os"
	"sync"
	"time"

	"github.com/sealburst/sealburst/record"
)

// pipe is a datagram transport in memory. What a filter makes of a datagram arrives
// in its place; a copy of what arrives is kept for those who want to look.
type pipe struct {
	a, b *pipeEnd
}

// filter says what becomes of a datagram: none, itself, or several.
type filter func(datagram []byte) [][]byte

func newPipe() *pipe {
	x, y := make(chan []byte, 4096), make(chan []byte, 4096)
	return &pipe{newPipeEnd("a", x, y), newPipeEnd("b", y, x)}
}

// batches gives the ends ReadBatch and WriteBatch.
func (p *pipe) batches() (a, b BatchConn) { return &batchEnd{p.a}, &batchEnd{p.b} }

type pipeEnd struct {
	name   string
	in     <-chan []byte
	out    chan<- []byte
	closed chan struct{}
	once   sync.Once
	read   deadline
	write  deadline

	mu     sync.Mutex
	filter filter
	sent   [][]byte // before the filter, if keep
	keep   bool
}

func newPipeEnd(name string, in <-chan []byte, out chan<- []byte) *pipeEnd {
	return &pipeEnd{name: name, in: in, out: out, closed: make(chan struct{})}
}

func (e *pipeEnd) setFilter(f filter) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.filter = f
}

// captured are copies of the datagrams that were sent since keep was set.
func (e *pipeEnd) captured() [][]byte {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([][]byte(nil), e.sent...)
}

func (e *pipeEnd) Write(b []byte) (int, error) {
	if e.write.expired() {
		return 0, os.ErrDeadlineExceeded
	}
	e.mu.Lock()
	if e.keep {
		e.sent = append(e.sent, bytes.Clone(b))
	}
	arrive := [][]byte{b}
	if e.filter != nil {
		arrive = e.filter(b)
	}
	e.mu.Unlock()
	for _, d := range arrive {
		if err := e.push(bytes.Clone(d)); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (e *pipeEnd) push(d []byte) error {
	select {
	case <-e.closed:
		return net.ErrClosed
	default:
	}
	select {
	case e.out <- d:
		return nil
	case <-e.closed:
		return net.ErrClosed
	case <-e.write.wait():
		return os.ErrDeadlineExceeded
	}
}

func (e *pipeEnd) Read(b []byte) (int, error) {
	d, err := e.next()
	return copy(b, d), err
}

func (e *pipeEnd) next() ([]byte, error) {
	if e.read.expired() {
		return nil, os.ErrDeadlineExceeded
	}
	select {
	case d := <-e.in:
		return d, nil
	case <-e.closed:
		return nil, net.ErrClosed
	case <-e.read.wait():
		return nil, os.ErrDeadlineExceeded
	}
}

func (e *pipeEnd) Close() error {
	e.once.Do(func() { close(e.closed) })
	return nil
}

type pipeAddr string

func (pipeAddr) Network() string  { return "pipe" }
func (a pipeAddr) String() string { return string(a) }

func (e *pipeEnd) LocalAddr() net.Addr  { return pipeAddr(e.name) }
func (e *pipeEnd) RemoteAddr() net.Addr { return pipeAddr("not " + e.name) }

func (e *pipeEnd) SetDeadline(t time.Time) error {
	e.read.set(t)
	e.write.set(t)
	return nil
}

func (e *pipeEnd) SetReadDeadline(t time.Time) error {
	e.read.set(t)
	return nil
}

func (e *pipeEnd) SetWriteDeadline(t time.Time) error {
	e.write.set(t)
	return nil
}

// batchEnd is a pipeEnd that moves bursts.
type batchEnd struct{ *pipeEnd }

func (e *batchEnd) ReadBatch(burst []record.Datagram) (n int, err error) {
	d, err := e.next()
	for err == nil {
		burst[n] = record.Datagram{Buf: d, Len: len(d)}
		if n++; n == len(burst) {
			break
		}
		select {
		case d = <-e.in:
			continue
		default:
		}
		break
	}
	return n, err
}

func (e *batchEnd) WriteBatch(datagrams [][]byte) (n int, err error) {
	for ; n < len(datagrams); n++ {
		if _, err := e.Write(datagrams[n]); err != nil {
			return n, err
		}
	}
	return n, nil
}

// inject delivers a datagram to the other end as if this one had sent it.
func (e *pipeEnd) inject(d []byte) { _ = e.push(bytes.Clone(d)) }
