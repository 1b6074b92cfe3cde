package dtlsadapter

import (
	"net"
	"net/netip"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// PacketTransport moves datagrams of any number of peers in batches, as a PacketConn does.
type PacketTransport interface {
	// ReadBatchFrom waits for at least one datagram and describes as many as are there in
	// burst, their senders in from, which is as long. Their memory is the caller's until the
	// next ReadBatchFrom. Only one goroutine calls it. net.ErrClosed ends reading.
	ReadBatchFrom(burst []record.Datagram, from []netip.AddrPort) (n int, err error)
	// WriteBatchTo sends datagrams[i] to to[i] and returns how many it sent. It does not
	// keep them, and is safe for concurrent use.
	WriteBatchTo(datagrams [][]byte, to []netip.AddrPort) (n int, err error)
	LocalAddr() net.Addr
	Close() error
}

// ListenOn accepts connections on a transport of the caller's, which the listener reads,
// writes and closes from the call on, as Listen does on a socket of its own. It refuses what
// Client refuses, and then t is closed too.
func ListenOn(t PacketTransport, cfg *dtls.Config, e *engine.Engine) (*Listener, error) {
	if t == nil {
		return nil, &FieldError{"t", "missing"}
	}
	p, err := newPlan(cfg, e)
	if err != nil {
		_ = t.Close()
		return nil, err
	}
	return newListener(p, t, callers{t}, firstReply), nil
}

// carrier is what a listener's datagrams go through.
type carrier interface {
	read(burst []record.Datagram, from []netip.AddrPort) (int, error)
	write(datagrams [][]byte, to destinations) (int, error)
}

// endpoint is what a carrier belongs to.
type endpoint interface {
	LocalAddr() net.Addr
	Close() error
}

// callers is a PacketTransport as a carrier.
type callers struct{ transport PacketTransport }

func (f callers) read(burst []record.Datagram, from []netip.AddrPort) (int, error) {
	return f.transport.ReadBatchFrom(burst, from)
}

func (f callers) write(datagrams [][]byte, to destinations) (int, error) {
	if to.each == nil {
		to.each = make([]netip.AddrPort, len(datagrams))
		for i := range to.each {
			to.each[i] = to.all
		}
	}
	return f.transport.WriteBatchTo(datagrams, to.each)
}
