package offline

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/udpip"
)

// Where the two gateways of a protected capture stand: addresses of
// RFC 5737, and the port of the server.
var endpoints = [2]netip.AddrPort{
	clientSide: netip.MustParseAddrPort("198.51.100.1:49152"),
	serverSide: netip.MustParseAddrPort("198.51.100.2:4433"),
}

// wire writes every datagram that either end sends to a capture.
type wire struct {
	link capture.Link
	out  *capture.Writer

	mu      sync.Mutex
	cut     bool            // datagrams are written, and reach the other end no more
	clock   time.Time       // of the last datagram
	headers [2][]byte       // the link header of each direction
	waiting []capture.Frame // whose records come next
	packet  []byte
	failure error
}

func newWire(link capture.Link, out *capture.Writer) *wire {
	return &wire{link: link, out: out, packet: make([]byte, 1<<17)}
}

// begin sets the clock and takes the link headers from the first frame.
func (w *wire) begin(first *capture.Frame, enters side, clock time.Time) {
	w.clock = clock
	header := slices.Clone(first.Link())
	back := slices.Clone(header)
	w.link.Reverse(back)
	w.headers[enters], w.headers[enters.other()] = header, back
}

// established cuts the wire: what follows is recorded and goes nowhere.
func (w *wire) established() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
}

// expect says which frames the next records are for, one datagram each.
func (w *wire) expect(frames []capture.Frame) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = frames
}

// step is how far apart datagrams are that no frame gives a time to.
const step = 10 * time.Microsecond

// record writes datagrams, and reports whether they go on to the other end.
func (w *wire) record(from side, datagrams [][]byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, datagram := range datagrams {
		header := w.headers[from]
		if len(w.waiting) > 0 {
			header, w.clock = w.waiting[0].Link(), w.waiting[0].Time
			w.waiting = w.waiting[1:]
		} else {
			w.clock = w.clock.Add(step)
		}
		w.write(from, header, datagram)
	}
	return !w.cut
}

func (w *wire) write(from side, header, datagram []byte) {
	n := copy(w.packet, header)
	w.link.SetVersion(w.packet[:n], 4)
	n += udpip.Put(w.packet[n:], endpoints[from], endpoints[from.other()], datagram)
	if err := w.out.Write(w.clock, w.packet[:n]); err != nil && w.failure == nil {
		w.failure = err
	}
}

// tap is one end's connection, with the wire listening to what it sends.
type tap struct {
	*memory.Conn
	wire *wire
	from side
}

// WriteBatch records datagrams and passes them on while the wire is whole.
func (t *tap) WriteBatch(datagrams [][]byte) (int, error) {
	if t.wire.record(t.from, datagrams) {
		return t.Conn.WriteBatch(datagrams)
	}
	return len(datagrams), nil
}

// Write records a datagram and passes it on while the wire is whole.
func (t *tap) Write(datagram []byte) (int, error) {
	if _, err := t.WriteBatch([][]byte{datagram}); err != nil {
		return 0, err
	}
	return len(datagram), nil
}

// Close lets the other end go on sending: its close_notify belongs to the capture.
func (t *tap) Close() error { return t.CloseRead() }
