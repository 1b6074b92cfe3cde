package dtlsadapter

import (
	"net"
	"net/netip"
	"sync/atomic"
	"time"
)

// peer is a listener's socket as one connection sends through it. Writes do not
// wait for long, so deadlines need no more than the Conn's own look at them.
type peer struct {
	listener *Listener
	address  netip.AddrPort
	closed   atomic.Bool
}

func (p *peer) Write(b []byte) (int, error) {
	if _, err := p.WriteBatch([][]byte{b}); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (p *peer) WriteBatch(datagrams [][]byte) (int, error) {
	if p.closed.Load() {
		return 0, net.ErrClosed
	}
	return p.listener.socket.write(datagrams, destinations{all: p.address})
}

func (p *peer) Close() error {
	p.closed.Store(true)
	return nil
}

func (p *peer) LocalAddr() net.Addr              { return p.listener.conn.LocalAddr() }
func (p *peer) RemoteAddr() net.Addr             { return net.UDPAddrFromAddrPort(p.address) }
func (p *peer) SetWriteDeadline(time.Time) error { return nil }
