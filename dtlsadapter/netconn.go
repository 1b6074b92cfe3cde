package dtlsadapter

import (
	"fmt"
	"net"
	"time"

	"github.com/pion/dtls/v2"
)

// Read waits for a record and copies its payload. A payload that is longer than p is
// cut, with io.ErrShortBuffer; with no room at all, Read returns 0 at once and takes
// nothing. After the peer's close_notify it returns io.EOF, once everything that came
// before was read.
//
// What nobody reads waits, up to 2 MiB or 4096 records of it. What comes beyond that
// is lost and counted as record.DropQueueFull.
func (c *Conn) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	buffers, sizes := [1][]byte{p}, [1]int{}
	_, err := c.queue.take(buffers[:], sizes[:])
	return sizes[0], err
}

// ReadBurst waits until at least one record is there and copies the payloads of as
// many as are there, one to each buffer; sizes has as many entries as bufs and takes
// the lengths. A payload that does not fit its buffer waits for the next call, or is
// cut with io.ErrShortBuffer when it is the first. It fails with a FieldError, and
// takes nothing, when there are no bufs, one is empty, or sizes are not as many.
func (c *Conn) ReadBurst(bufs [][]byte, sizes []int) (n int, err error) {
	if err := checkBuffers(bufs, sizes); err != nil {
		return 0, err
	}
	return c.queue.take(bufs, sizes)
}

// checkBuffers refuses what no burst can be read into: a caller that reads in a loop
// would spin, or lose records.
func checkBuffers(bufs [][]byte, sizes []int) error {
	switch {
	case len(bufs) == 0:
		return &FieldError{"bufs", "none"}
	case len(sizes) != len(bufs):
		return &FieldError{"sizes", fmt.Sprintf("%d for %d bufs", len(sizes), len(bufs))}
	}
	for i := range bufs {
		if len(bufs[i]) == 0 {
			return &FieldError{"bufs", fmt.Sprintf("number %d has no room", i)}
		}
	}
	return nil
}

// LocalAddr is the transport's.
func (c *Conn) LocalAddr() net.Addr { return c.link.LocalAddr() }

// RemoteAddr is the transport's.
func (c *Conn) RemoteAddr() net.Addr { return c.link.RemoteAddr() }

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	_ = c.SetReadDeadline(t)
	return c.SetWriteDeadline(t)
}

// SetReadDeadline says until when reads wait. A zero time is no deadline.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.queue.limit.set(t)
	return nil
}

// SetWriteDeadline says until when writes wait. A zero time is no deadline.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.writeLimit.set(t)
	return c.link.SetWriteDeadline(t)
}

// PeerCertificates is the peer's chain, its own certificate first, in DER. It is nil
// without certificates. The caller must not change it.
func (c *Conn) PeerCertificates() [][]byte {
	state := c.pion.ConnectionState()
	return state.PeerCertificates
}

// IdentityHint is the pre-shared key's identity, or its hint, that the peer sent.
func (c *Conn) IdentityHint() []byte {
	state := c.pion.ConnectionState()
	return state.IdentityHint
}

// Suite is the cipher suite.
func (c *Conn) Suite() dtls.CipherSuiteID { return c.session.suite.id }

// SRTPProfile is the SRTP protection profile that was agreed on, or false.
func (c *Conn) SRTPProfile() (dtls.SRTPProtectionProfile, bool) {
	return c.pion.SelectedSRTPProtectionProfile()
}

// SelectedProtocol is the protocol that ALPN selected (RFC 7301), or empty.
func (c *Conn) SelectedProtocol() string { return negotiatedProtocol(c.pion) }

// ExportKeyingMaterial derives length bytes for an application (RFC 5705). A nil
// context is none; an empty one is a context of no bytes. It works with every suite,
// and until Close. It fails for labels that TLS itself uses, with keysched.ErrLabel.
func (c *Conn) ExportKeyingMaterial(label string, context []byte, length int) ([]byte, error) {
	if length < 0 {
		return nil, &FieldError{"length", "negative"}
	}
	c.sendMu.Lock()
	defer c.sendMu.Unlock()
	if c.closing.Load() {
		return nil, net.ErrClosed
	}
	return c.session.export(label, context, length)
}

// RekeySoon reports whether a new handshake is due; see Outbound.
func (c *Conn) RekeySoon() bool { return c.session.out.RekeySoon() }

// Stats are the counters since the connection was made, with what was dropped
// during the handshake.
func (c *Conn) Stats() Stats {
	s := Stats{Sent: c.session.out.Stats(), Received: c.session.in.Stats()}
	early := c.early.Snapshot()
	for cause, n := range early {
		s.Received.Drops[cause] += n
	}
	return s
}
