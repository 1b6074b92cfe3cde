package dtlsadapter

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// sender is one peer's sending half, and two receiving halves of the same keys.
type sender struct {
	out       *Outbound
	row, lone *Inbound
}

func newSenders(t testing.TB, e *engine.Engine) (all []sender) {
	for i := range suites {
		k := randomKeys(t, suites[i].id)
		k.Epoch = uint16(1 + i)
		var s sender
		var err error
		s.out, err = NewOutbound(e, k)
		must(t, err)
		s.row, err = NewInbound(e, k, 0)
		must(t, err)
		s.lone, err = NewInbound(e, k, 0)
		must(t, err)
		all = append(all, s)
	}
	return all
}

// attacked is what arrives in place of a good record: it, it twice, a forgery before it,
// or something that is none.
func attacked(t testing.TB, r *rand.Rand, out *Outbound) (arrive [][]byte) {
	kind := []byte{typeApplicationData, typeApplicationData, typeApplicationData, typeHandshake, typeAlert}[r.IntN(5)]
	rec, err := out.appendRecord(nil, kind, payloadOf(r.IntN(90)))
	must(t, err)
	bad := bytes.Clone(rec)
	switch r.IntN(12) {
	case 0:
		return [][]byte{rec, bad}
	case 1:
		bad[len(bad)-1] ^= 1
		return [][]byte{bad, rec}
	case 2:
		bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		return [][]byte{bad, rec}
	case 3:
		return [][]byte{bad[:r.IntN(len(bad))]}
	case 4:
		return [][]byte{append(bad, 0)}
	}
	return [][]byte{rec}
}

// gather fills an opener, and says whose each record is.
func gather(t testing.TB, r *rand.Rand, o *opener, all []sender) (from []sender) {
	size := 1 + r.IntN(openSize)
	for s := all[0]; o.n < size; {
		if o.nRuns == 0 || r.IntN(3) == 0 {
			s = all[r.IntN(len(all))]
			o.begin(s.row, nil)
		}
		for _, rec := range attacked(t, r, s.out) {
			if !o.full() {
				o.add(rec)
				from = append(from, s)
			}
		}
	}
	return from
}

// TestRunsAreOpenedLikeLoneRecords opens bursts of many connections' records, good and
// bad, whole and one record at a time. A forgery under a number that the same burst brings
// may be found out by either.
func TestRunsAreOpenedLikeLoneRecords(t *testing.T) {
	e := newEngine(t)
	r := rand.New(rand.NewPCG(7, 8))
	all := newSenders(t, e)
	row, lone := newOpener(e), newOpener(e)
	dropped, mixed := 0, 0
	for range 600 {
		from := gather(t, r, row, all)
		apart := make([][]byte, row.n)
		for i, rec := range row.records[:row.n] {
			apart[i] = bytes.Clone(rec)
		}
		row.open()
		for i, s := range from {
			lone.begin(s.lone, nil)
			lone.add(apart[i])
			lone.open()
			a, b := row.arrivals[i].Drop, lone.arrivals[0].Drop
			if a != b && (a != record.DropUnauthentic || b != record.DropReplayed) {
				t.Fatalf("record %d of %d: %v, alone %v", i, row.n, a, b)
			}
			if a != record.DropNone {
				dropped++
			} else if !bytes.Equal(s.row.plaintext(row.records[i]), s.lone.plaintext(apart[i])) {
				t.Fatalf("record %d of %d: another payload than alone", i, row.n)
			}
			lone.reset()
		}
		mixed = max(mixed, row.nRuns)
		row.reset()
	}
	if dropped < 1000 || mixed < 8 {
		t.Errorf("%d dropped, %d runs at most: too few to prove anything", dropped, mixed)
	}
}
