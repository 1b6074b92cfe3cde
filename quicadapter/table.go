package quicadapter

import (
	"fmt"
	"sync"
)

// Table finds connections by the destination connection IDs of packets. Any number of
// goroutines may use it; an Inbound takes its lock once a burst.
type Table struct {
	size int

	mu      sync.RWMutex
	conns   map[idKey]*Conn
	greased bool // packets whose fixed bit is 0 are good
}

// NewTable makes a table for short headers whose connection IDs have idSize bytes, 0 to
// MaxConnectionID. With 0 there can be one connection. Long headers say how long theirs
// are, so that IDs of other lengths can be added for them.
func NewTable(idSize int) (*Table, error) {
	if idSize < 0 || idSize > MaxConnectionID {
		return nil, fmt.Errorf("%w: idSize %d is not 0 to %d", ErrConfig, idSize, MaxConnectionID)
	}
	return &Table{size: idSize, conns: map[idKey]*Conn{}}, nil
}

// Add enters a connection under one more ID of its own. An ID that is taken is refused.
func (t *Table) Add(id []byte, c *Conn) error {
	if len(id) > MaxConnectionID || c == nil {
		return fmt.Errorf("%w: an ID of %d bytes, or no connection", ErrConfig, len(id))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := keyOf(id)
	if t.conns[key] != nil {
		return fmt.Errorf("%w: the connection ID is taken", ErrConfig)
	}
	t.conns[key] = c
	return nil
}

// AcceptGreased makes packets good whose fixed bit is 0, as they must be for who announced
// grease_quic_bit to its peers (RFC 9287 section 3).
func (t *Table) AcceptGreased() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.greased = true
}

// Remove takes an ID out.
func (t *Table) Remove(id []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(id) <= MaxConnectionID {
		delete(t.conns, keyOf(id))
	}
}

// finder looks IDs up while the table is locked, and remembers the last.
type finder struct {
	table *Table
	id    []byte
	conn  *Conn
}

func (f *finder) find(id []byte) *Conn {
	if f.conn != nil && sameID(f.id, id) {
		return f.conn
	}
	return f.look(id)
}

// look finds an ID that is not the last.
func (f *finder) look(id []byte) *Conn {
	if len(id) > MaxConnectionID {
		return nil
	}
	f.id, f.conn = id, f.table.conns[keyOf(id)]
	return f.conn
}
