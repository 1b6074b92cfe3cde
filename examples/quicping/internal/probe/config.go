// Package probe is a small QUIC client that completes a handshake, sends PING frames and
// measures how soon they are acknowledged. Packets are protected by quicadapter; this
// package is what RFC 9000 and RFC 9002 ask of a client beside that, as small as they allow:
// no streams of its own, a fixed datagram size, one path.
package probe

import (
	"crypto/tls"
	"time"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/quicadapter"
)

// Config says whom to probe and how.
type Config struct {
	Engine    *engine.Engine
	Address   string              // host and port
	TLS       *tls.Config         // ServerName, RootCAs, NextProtos, KeyLogWriter
	Version   quicadapter.Version // to begin with; a server may ask for the other
	Count     int                 // pings; at least 1
	Interval  time.Duration       // between pings
	Wait      time.Duration       // for a reply
	Handshake time.Duration       // until the handshake must be complete
	Update    bool                // a key update before every ping but the first

	Ready func(*Session) // called once the handshake is complete; may be nil
	Reply func(Ping)     // called when a ping is settled; may be nil
}

// Session describes what the handshake agreed on.
type Session struct {
	Remote    string
	Version   quicadapter.Version
	Retried   bool // the server asked for a Retry
	Handshake time.Duration
	TLS       tls.ConnectionState
}

// Ping is one PING frame and what became of it.
type Ping struct {
	Sequence int
	Number   uint64        // of the packet that carried it
	Lost     bool          // no acknowledgement came in time
	Time     time.Duration // from sending to the acknowledgement, less the delay that the server reports
	Phase    uint64        // key updates when it was sent
	Answered uint64        // key updates of the packet that acknowledged it
}

// Result is all that a probe found out.
type Result struct {
	Session *Session // nil when the handshake failed
	Pings   []Ping
	Updates uint64 // key updates in the end
	Resent  int    // packets declared lost
	Dropped map[string]uint64
	Burst   float64 // mean number of packets that were opened together
}
