package engine

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// rowSpy counts the rows that an AEAD is handed, and may spoil what comes of them.
type rowSpy struct {
	*spy
	taken      int
	seal, open func(*Packet)
}

func (r *rowSpy) SealRow(ps []Packet, slot int) int {
	r.taken++
	return r.through(r.AEAD.Seal, r.seal, ps, slot)
}

func (r *rowSpy) OpenRow(ps []Packet, slot int) int {
	r.taken++
	return r.through(r.AEAD.Open, r.open, ps, slot)
}

func (r *rowSpy) through(do func(ciphers.Burst) int, spoil func(*Packet), ps []Packet, slot int) int {
	n := do(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps)), Slot: slot})
	for i := range ps {
		if spoil != nil {
			spoil(&ps[i])
		}
	}
	return n
}

// withRows is a backend of one algorithm that takes rows.
func withRows(t testing.TB, name string, priority int, alg Algorithm) (*ciphers.Backend, *rowSpy) {
	b := fake(t, name, priority, alg)
	r := &rowSpy{spy: b.AEADs[alg].(*spy)}
	b.AEADs[alg] = r
	return b, r
}

// TestRowsAreBurstsOfPacketsThatAreAlike hands over some that are and some that are not.
func TestRowsAreBurstsOfPacketsThatAreAlike(t *testing.T) {
	const alg = ciphers.AES128GCM
	backend, row := withRows(t, "rows", 1, alg)
	e := only(t, backend)
	key, other := mustKey(t, e, specOf(alg, ciphers.Sealing)), mustKey(t, e, specOf(alg, ciphers.Sealing))
	opening := mustKey(t, e, specOf(alg, ciphers.Opening))
	for _, c := range []struct {
		name  string
		count int
		odd   func(p *Packet)
		row   bool
	}{
		{"alike", 9, func(*Packet) {}, true},
		{"few", ciphers.MinRow - 1, func(*Packet) {}, false},
		{"alone", 1, func(*Packet) {}, false},
		{"another key", 9, func(p *Packet) { p.Key = other }, false},
		{"another length", 9, func(p *Packet) { p.Len-- }, false},
		{"a prefix", 9, func(p *Packet) { p.Prefix = make([]byte, 3) }, false},
	} {
		ps := sealable(key, c.count)
		c.odd(&ps[c.count-1])
		row.taken, row.bursts = 0, nil
		if ok := e.Seal(ps); ok != c.count {
			t.Errorf("%s: sealed %d of %d", c.name, ok, c.count)
		}
		if whole := row.taken == 1 && len(row.bursts) == 0; whole != c.row {
			t.Errorf("%s: %d rows and %d bursts", c.name, row.taken, len(row.bursts))
		}
		ps = openable(ps, opening)
		ps[0].Buf[ps[0].Off] ^= 1
		if ok := e.Open(ps); c.row && (ok != c.count-1 || row.taken != 2) {
			t.Errorf("%s: opened %d of %d, in %d rows", c.name, ok, c.count, row.taken-1)
		}
	}
}

func TestSelfTestRefusesWrongRows(t *testing.T) {
	const alg = ciphers.AES128GCM
	for _, c := range []struct {
		name       string
		seal, open func(*Packet)
		want       error
	}{
		{"wrong ciphertext", flipFirst, nil, ErrKnownAnswer},
		{"accepts forgeries", nil, func(p *Packet) { p.Status = ciphers.StatusOK }, ErrForgery},
		{"wrong plaintext", nil, opensWrongly, ErrKnownAnswer},
	} {
		best, row := withRows(t, "best", 2, alg)
		row.seal, row.open = c.seal, c.open
		e := only(t, best, fake(t, "next", 1, alg))
		if got := refusedFor(e, alg, "best"); got != c.want.Error() || serving(t, e, alg) != "next" {
			t.Errorf("%s: refused because %q, want %q", c.name, got, c.want)
		}
	}
}
