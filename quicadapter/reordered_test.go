package quicadapter

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/pnum"
)

var rowID = []byte("8 bytes.")

// road carries the packets of one connection as a bad network does.
type road struct {
	*link
	*rand.Rand
}

func newRoad(t *testing.T, seed uint64) *road {
	r := &road{newRow(t, rowID), rand.New(rand.NewPCG(seed, 7))}
	r.client.Confirm()
	return r
}

// burst has packets whose numbers have gaps and all lengths, out of order, some of them
// twice and some of them forged. A key update may be among them.
func (r *road) burst() (burst []record.Datagram) {
	update := r.IntN(50)
	for i := range 40 {
		if r.IntN(8) == 0 {
			r.skip()
		}
		if i == update && r.client.Phase() == r.server.Phase() && r.client.spaces[spaceApplication].acked != pnum.None {
			if err := r.client.Update(); err != nil {
				r.Fatal(err)
			}
		}
		p := outgoing(r.client, OneRTT, make([]byte, 20+r.IntN(9)))
		p.Destination, p.NumberSize = rowID, 2
		if r.IntN(9) == 0 {
			p.NumberSize += r.IntN(3)
		}
		burst = append(burst, datagram(r.seal(p)))
	}
	return r.disturb(burst)
}

func (r *road) skip() {
	if _, err := r.client.Skip(OneRTT); err != nil {
		r.Fatal(err)
	}
}

func (r *road) disturb(burst []record.Datagram) []record.Datagram {
	for range r.IntN(6) {
		i, j := r.IntN(len(burst)), r.IntN(len(burst))
		switch r.IntN(3) {
		case 0:
			burst[i], burst[j] = burst[j], burst[i]
		case 1:
			burst = append(burst, datagram(burst[i].Buf))
		default:
			burst = append(burst, datagram(forged(burst[i].Buf)))
		}
	}
	return burst
}

// acknowledge keeps numbers short.
func (r *road) acknowledge() {
	if err := r.client.Acknowledged(OneRTT, r.client.spaces[spaceApplication].next-1); err != nil {
		r.Fatal(err)
	}
}

func TestReorderedRowsAreOpenedLikeLoneDatagrams(t *testing.T) {
	for seed := range uint64(60) {
		row, lone := newRoad(t, seed), newRoad(t, seed)
		for range 8 {
			compareOpened(t, "reordered", row.link, lone.link, row.burst())
			row.acknowledge()
		}
		compareConns(t, row.server, lone.server)
	}
}

// compareConns compares what two connections know of what they opened.
func compareConns(t *testing.T, a, b *Conn) {
	t.Helper()
	s, other := &a.spaces[spaceApplication], &b.spaces[spaceApplication]
	if s.opened != other.opened || a.phases != b.phases || a.failed != b.failed || a.opening != 0 || !errors.Is(a.err, b.err) {
		t.Errorf("opened %d and %d, phases %+v and %+v, %d and %d failed, %d left, %v and %v",
			s.opened, other.opened, a.phases, b.phases, a.failed, b.failed, a.opening, a.err, b.err)
	}
	for number := s.opened - min(s.opened, DefaultWindow+100); number <= s.opened+1; number++ {
		if got, want := s.window.Check(number), other.window.Check(number); got != want {
			t.Fatalf("number %d of %d: %v, not %v", number, s.opened, got, want)
		}
	}
}

// The numbers of a row may be the last that there are, or the first of a longer form.
func TestRowsWhereNumbersChange(t *testing.T) {
	for _, next := range []uint64{1 << 7, 1 << 8, 1 << 15, 1 << 16, 1 << 31, 1 << 32, pnum.MaxQUIC - 1<<31, pnum.MaxQUIC - 20} {
		row, lone := newRoad(t, next), newRoad(t, next)
		acked := next - 33
		setNext(row.client, next-32, acked)
		heard(row.server, acked)
		heard(lone.server, acked)
		var burst []record.Datagram
		for range 50 {
			p := outgoing(row.client, OneRTT, make([]byte, 20))
			p.Destination = rowID
			burst = append(burst, datagram(row.seal(p)))
		}
		compareOpened(t, "changing", row.link, lone.link, burst)
		compareConns(t, row.server, lone.server)
	}
}

// Numbers of one byte at the edges of what a receiver can tell, which is 127 below and 128
// above the expected one (RFC 9000 appendix A.3), and at both ends of all numbers.
func TestEdgesOfNumbersInARow(t *testing.T) {
	for highest, numbers := range map[uint64][]uint64{
		999:               {1000 + 128, 1000 - 127, 1000 + 127, 1000},
		0:                 {1 + 128, 1 + 200, 1 + 127, 1},
		pnum.MaxQUIC - 6:  {pnum.MaxQUIC - 250, pnum.MaxQUIC - 249, pnum.MaxQUIC, pnum.MaxQUIC - 1},
		pnum.MaxQUIC:      {pnum.MaxQUIC - 2, pnum.MaxQUIC - 1, pnum.MaxQUIC - 127, pnum.MaxQUIC - 200},
		pnum.MaxQUIC - 90: {pnum.MaxQUIC - 1, pnum.MaxQUIC, pnum.MaxQUIC - 89, pnum.MaxQUIC - 200},
	} {
		l := newRow(t, rowID)
		heard(l.server, highest)
		o := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
		var burst []record.Datagram
		for _, number := range numbers {
			header := append(append([]byte{0x40}, rowID...), byte(number))
			burst = append(burst, datagram(o.seal(header, make([]byte, 9), number, 1)))
		}
		packets, _ := l.in.Open(burst)
		for i, want := range numbers {
			if p := &packets[i]; p.Drop != record.DropNone || p.Number != want {
				t.Errorf("%#x after %#x is %#x: %v", want, highest, p.Number, p.Drop)
			}
		}
	}
}

// No more packets of a row are opened than may fail.
func TestIntegrityLimitInARow(t *testing.T) {
	l := newRow(t, rowID)
	l.server.limit = 5
	var burst []record.Datagram
	for range 9 {
		p := outgoing(l.client, OneRTT, make([]byte, 20))
		p.Destination = rowID
		wire := l.seal(p)
		wire[len(wire)-1] ^= 1
		burst = append(burst, datagram(wire))
	}
	packets, _ := l.in.Open(burst)
	for i := range packets {
		if drop := packets[i].Drop; drop == record.DropUnauthentic != (i < 5) || drop == record.DropLimit != (i >= 5) {
			t.Errorf("packet %d: %v", i, drop)
		}
	}
	if l.server.Failed() != 5 || !errors.Is(l.server.Err(), record.ErrIntegrityLimit) {
		t.Errorf("%d failed, %v", l.server.Failed(), l.server.Err())
	}
}

// A reserved bit in the middle of a row ends the connection, and costs that packet only.
func TestReservedBitsInARow(t *testing.T) {
	l := newRow(t, rowID)
	o := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
	var burst []record.Datagram
	for i := range 9 {
		first := byte(0x40)
		if i == 5 {
			first |= 0x08
		}
		header := append(append([]byte{first}, rowID...), byte(i))
		burst = append(burst, datagram(o.seal(header, make([]byte, 9), uint64(i), 1)))
		burst[i].Drop = record.DropFailed // of an earlier use
	}
	packets, n := l.in.Open(burst)
	for i := range packets {
		if bad := burst[i].Drop == record.DropMalformed; bad != (i == 5) || !bad && burst[i].Drop != record.DropNone || packets[i].Drop != burst[i].Drop || packets[i].Number != uint64(i) {
			t.Errorf("packet %d: number %d, %v, %v", i, packets[i].Number, packets[i].Drop, burst[i].Drop)
		}
	}
	if n != 8 || !errors.Is(l.server.Err(), ErrReservedBits) {
		t.Errorf("%d opened, %v", n, l.server.Err())
	}
}

// What a table no longer has is not found, however often it was, and what came in its place is.
func TestChangedTable(t *testing.T) {
	l := newRow(t, rowID)
	ping := func() []byte {
		p := outgoing(l.client, OneRTT, []byte("ping"))
		p.Destination = rowID
		return l.seal(p)
	}
	l.drops(ping(), record.DropNone)
	l.drops(ping(), record.DropNone)
	l.table.Remove(rowID)
	l.drops(ping(), record.DropUnknownSession)
	other := newConn(t, l.engine, Version1, Server)
	if err := l.table.Add(rowID, other); err != nil {
		t.Fatal(err)
	}
	l.drops(ping(), record.DropEpoch) // whose keys are not there yet
	if packets := l.open(ping()); packets[0].Conn != other {
		t.Error("the connection that was removed")
	}
}
