package quicadapter

import (
	"errors"
	"fmt"
	"sync"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
	"github.com/sealburst/sealburst/record/replay"
)

// Errors of a Conn, for errors.Is.
var (
	ErrConfig       = errors.New("quicadapter: bad configuration")
	ErrInstalled    = errors.New("quicadapter: keys of that type are installed, or were discarded")
	ErrNoKeys       = errors.New("quicadapter: no such keys")
	ErrTooSoon      = errors.New("quicadapter: key update before the last one is complete")
	ErrKeyUpdate    = errors.New("quicadapter: KEY_UPDATE_ERROR: keys out of the order of numbers")
	ErrReservedBits = errors.New("quicadapter: PROTOCOL_VIOLATION: reserved bits are set")
	ErrClosed       = errors.New("quicadapter: connection is closed")
)

// DefaultWindow is how many packet numbers below the highest are still accepted.
const DefaultWindow = 1024

// ConnConfig describes a connection. Engine, Version and Side are needed.
type ConnConfig struct {
	Engine  *engine.Engine
	Version Version
	Side    Side
	Window  int // numbers that each replay window remembers at least, up to 8192, as replay.SizeFor has it; 0 means DefaultWindow
}

// Conn holds keys, numbers and key phases of one connection. Any number of goroutines
// may use it; bursts take its lock once for each row of packets that are its own.
type Conn struct {
	maker maker
	side  Side

	mu     sync.Mutex
	seal   [keyTypes]*keys
	open   [keyTypes]*keys
	spaces [numSpaces]space
	phases phases

	limit   uint64 // packets that may fail authentication, over all keys (RFC 9001 section 6.6)
	failed  uint64
	opening uint64 // packets in bursts that run; each of them may fail
	err     error
}

// space is a packet number space.
type space struct {
	next   uint64 // to send
	acked  uint64 // highest of ours that the peer acknowledged, or pnum.None
	opened uint64 // highest that was opened, or pnum.None; the window knows it too, at more cost
	window *replay.Window
}

// note takes in the number of an authentic packet.
func (s *space) note(number uint64) {
	if number > s.opened || s.opened == pnum.None {
		s.opened = number
	}
}

// NewConn makes a connection without keys. It returns ErrConfig, naming the field. Of a
// closed engine it knows nothing yet: InstallInitial and Install return engine.ErrClosed.
func NewConn(c ConnConfig) (*Conn, error) {
	switch {
	case c.Engine == nil:
		return nil, fmt.Errorf("%w: Engine is missing", ErrConfig)
	case c.Version != Version1 && c.Version != Version2:
		return nil, fmt.Errorf("%w: Version %#08x", ErrConfig, uint32(c.Version))
	case c.Side != Client && c.Side != Server:
		return nil, fmt.Errorf("%w: Side is neither Client nor Server", ErrConfig)
	case c.Window < 0 || c.Window > replay.MaxSize:
		return nil, fmt.Errorf("%w: Window %d is not 0 to %d", ErrConfig, c.Window, replay.MaxSize)
	}
	if c.Window == 0 {
		c.Window = DefaultWindow
	}
	conn := &Conn{maker: maker{c.Engine, c.Version}, side: c.Side, limit: record.Unlimited, phases: newPhases()}
	for i := range conn.spaces {
		window, err := replay.New(c.Window)
		if err != nil {
			return nil, err
		}
		conn.spaces[i] = space{acked: pnum.None, opened: pnum.None, window: window}
	}
	return conn, nil
}

// Version is the connection's version.
func (c *Conn) Version() Version { return c.maker.version }

// Side is the connection's role.
func (c *Conn) Side() Side { return c.side }

// CanSeal reports whether packets of the type can be sealed.
func (c *Conn) CanSeal(t Type) bool { return c.has(&c.seal, t) }

// CanOpen reports whether packets of the type can be opened.
func (c *Conn) CanOpen(t Type) bool { return c.has(&c.open, t) }

func (c *Conn) has(set *[keyTypes]*keys, t Type) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return t.HasKeys() && set[t] != nil && set[t].key != nil
}

// Acknowledged tells that the peer acknowledged a number of ours, in the space that the
// type belongs to. It shortens the numbers that follow (RFC 9000 section 17.1) and
// completes key updates. A number that was never sent is refused with pnum.ErrRange.
func (c *Conn) Acknowledged(t Type, number uint64) error {
	if !t.HasKeys() {
		return fmt.Errorf("%w: Type %v has no numbers", ErrConfig, t)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.spaces[t.space()]
	if number >= s.next {
		return fmt.Errorf("%w: %d was never sent", pnum.ErrRange, number)
	}
	if s.acked == pnum.None || number > s.acked {
		s.acked = number
	}
	return nil
}

// Failed is how many packets failed authentication, over all keys.
func (c *Conn) Failed() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// Err says why the connection must end, or nil: ErrKeyUpdate, ErrReservedBits,
// record.ErrIntegrityLimit, or ErrClosed after Close.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// fail keeps the first reason.
func (c *Conn) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}
