package steps

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// rowSpy counts the packets of the rows that it is handed.
type rowSpy struct {
	ciphers.AEAD
	sealed, opened int
}

func (s *rowSpy) SealRow(ps []ciphers.Packet, slot int) int {
	s.sealed += len(ps)
	return len(ps) - slot
}

func (s *rowSpy) OpenRow(ps []ciphers.Packet, slot int) int {
	s.opened += len(ps)
	return len(ps) - slot
}

// TestTimedBackendsTakeRows if the others do: what is measured is what runs without a clock.
func TestTimedBackendsTakeRows(t *testing.T) {
	k, spy := &Kernels{}, &rowSpy{}
	rows, takes := k.timed(spy, nil).(ciphers.RowAEAD)
	if !takes {
		t.Fatal("takes no rows")
	}
	if n := rows.SealRow(make([]ciphers.Packet, 5), 1); n != 4 || spy.sealed != 5 || k.seal.packets.Load() != 5 {
		t.Errorf("%d of %d sealed, saw %d", n, spy.sealed, k.seal.packets.Load())
	}
	if n := rows.OpenRow(make([]ciphers.Packet, 7), 2); n != 5 || spy.opened != 7 || k.open.packets.Load() != 7 {
		t.Errorf("%d of %d opened, saw %d", n, spy.opened, k.open.packets.Load())
	}
	if _, takes := k.timed(struct{ ciphers.AEAD }{}, nil).(ciphers.RowAEAD); takes {
		t.Error("takes rows where the other does not")
	}
}
