package quicadapter

import (
	"errors"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// ping sends one packet and wants it opened; it returns the phase that it arrived in.
func (l *link) ping(from *Conn) uint64 {
	l.Helper()
	to := l.server
	if from == l.server {
		to = l.client
	}
	l.table.Remove(nil)
	l.add(to, "")
	packets := l.open(l.seal(outgoing(from, OneRTT, []byte{1, 1, 1})))
	if p := &packets[0]; p.Drop != record.DropNone {
		l.Fatalf("drop %v, %v", p.Drop, to.Err())
	}
	if err := from.Acknowledged(OneRTT, packets[0].Number); err != nil {
		l.Fatal(err)
	}
	return packets[0].Phase
}

func confirmed(t testing.TB) *link {
	l := pair(t)
	l.client.Confirm()
	l.server.Confirm()
	return l
}

func TestKeyUpdatesBothWays(t *testing.T) {
	eachSuite(t, func(t *testing.T, v Version, s Suite) {
		l := newLink(t, v)
		l.both(OneRTT, s, secretOf(s, 3))
		l.client.Confirm()
		l.server.Confirm()
		sides := [...]*Conn{l.client, l.server}
		for phase := range uint64(6) {
			first, second := sides[(phase+1)%2], sides[phase%2] // the one that updated goes first
			for _, from := range []*Conn{first, second} {
				if got := l.ping(from); got != phase {
					t.Fatalf("side %d: a packet in phase %d, not %d", from.Side(), got, phase)
				}
			}
			if err := second.Update(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// The keys of each phase are the oracle's, and the header key stays.
func TestKeyUpdateAgainstTheOracle(t *testing.T) {
	eachSuite(t, func(t *testing.T, v Version, s Suite) {
		l := newLink(t, v)
		l.both(OneRTT, s, secretOf(s, 3))
		l.client.Confirm()
		o := newOracle(t, v, s, secretOf(s, 3))
		for phase := range uint64(4) {
			wire := l.seal(outgoing(l.client, OneRTT, []byte("phase")))
			header, payload, err := o.open(wire, 1, phase)
			if err != nil || string(payload) != "phase" || header[0]&phaseBit != 0 != (phase&1 != 0) {
				t.Fatalf("phase %d: %v, %x", phase, err, header)
			}
			o = o.next()
			if l.client.Acknowledged(OneRTT, phase) != nil || l.client.Update() != nil {
				t.Fatal("cannot update")
			}
		}
	})
}

func TestLatePacketsOfThePreviousPhase(t *testing.T) {
	l := confirmed(t)
	l.ping(l.client)
	late := l.seal(outgoing(l.client, OneRTT, []byte("late")))
	later := l.seal(outgoing(l.client, OneRTT, []byte("later")))
	if err := l.client.Update(); err != nil {
		t.Fatal(err)
	}
	if got := l.ping(l.client); got != 1 {
		t.Fatalf("phase %d", got)
	}
	l.opens(late, 1, []byte("late"))
	l.server.ForgetPrevious()
	l.drops(later, record.DropUnauthentic)
	if l.server.Err() != nil || l.server.Failed() != 1 {
		t.Error(l.server.Err(), l.server.Failed())
	}
}

func TestBothPhasesInOneBurstInAnyOrder(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		l := confirmed(t)
		l.ping(l.client)
		var wire []record.Datagram
		for i := range 8 {
			if i == 4 {
				if err := l.client.Update(); err != nil {
					t.Fatal(err)
				}
			}
			wire = append(wire, datagram(l.seal(outgoing(l.client, OneRTT, []byte{1, 2, 3, byte(i)}))))
		}
		if reversed {
			for i := range 4 {
				wire[i], wire[7-i] = wire[7-i], wire[i]
			}
		}
		if _, n := l.in.Open(wire); n != 8 || l.server.Phase() != 1 || l.server.Err() != nil {
			t.Errorf("reversed %v: %d opened, phase %d, %v", reversed, n, l.server.Phase(), l.server.Err())
		}
	}
}

func TestForgedPhaseBitMovesNothing(t *testing.T) {
	l := confirmed(t)
	l.ping(l.client)
	o := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
	wire := o.seal([]byte{0x40 | phaseBit, 1}, make([]byte, 8), 1, 1) // the old key with the new bit
	l.drops(wire, record.DropUnauthentic)
	if l.server.Phase() != 0 {
		t.Errorf("phase %d", l.server.Phase())
	}
}

func TestOldKeysAboveNewOnesAreAnError(t *testing.T) {
	old := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
	next := old.next()
	l := confirmed(t)
	l.ping(l.client)
	burst := []record.Datagram{
		datagram(next.seal([]byte{0x40 | phaseBit, 5}, make([]byte, 8), 5, 1)),
		datagram(old.seal([]byte{0x40, 6}, make([]byte, 8), 6, 1)),
	}
	l.in.Open(burst)
	if err := l.server.Err(); !errors.Is(err, ErrKeyUpdate) {
		t.Error(err)
	}
}

// The new keys' lowest number counts, not the one that came last.
func TestOldKeysAmongNewOnesAreAnError(t *testing.T) {
	old := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
	next := old.next()
	for number, want := range map[uint64]error{4: nil, 7: ErrKeyUpdate} {
		l := confirmed(t)
		l.ping(l.client)
		l.in.Open([]record.Datagram{
			datagram(next.seal([]byte{0x40 | phaseBit, 5}, make([]byte, 8), 5, 1)),
			datagram(next.seal([]byte{0x40 | phaseBit, 9}, make([]byte, 8), 9, 1)),
			datagram(old.seal([]byte{0x40, byte(number)}, make([]byte, 8), number, 1)),
		})
		if err := l.server.Err(); !errors.Is(err, want) {
			t.Errorf("number %d: %v", number, err)
		}
	}
}

func TestNewKeysBelowOldOnesAreAnError(t *testing.T) {
	old := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
	l := confirmed(t)
	l.ping(l.client)
	l.in.Open([]record.Datagram{datagram(old.seal([]byte{0x40, 9}, make([]byte, 8), 9, 1))})
	l.in.Open([]record.Datagram{datagram(old.next().seal([]byte{0x40 | phaseBit, 5}, make([]byte, 8), 5, 1))})
	if err := l.server.Err(); !errors.Is(err, ErrKeyUpdate) {
		t.Error(err)
	}
}

func TestUpdateTooSoon(t *testing.T) {
	l := pair(t)
	if err := l.client.Update(); !errors.Is(err, ErrTooSoon) {
		t.Errorf("before the handshake is confirmed: %v", err)
	}
	l.client.Confirm()
	l.server.Confirm()
	if err := l.client.Update(); err != nil {
		t.Fatal(err)
	}
	if err := l.client.Update(); !errors.Is(err, ErrTooSoon) {
		t.Errorf("before an acknowledgement: %v", err)
	}
	l.ping(l.client)
	if err := l.client.Update(); err != nil {
		t.Error(err)
	}
}

func TestUpdateWithoutKeys(t *testing.T) {
	c := newConn(t, newEngine(t), Version1, Client)
	c.Confirm()
	if err := c.Update(); !errors.Is(err, ErrNoKeys) {
		t.Error(err)
	}
}

// Packets that the peer sealed before it saw our update still open.
func TestOldPacketsBeforeThePeerFollows(t *testing.T) {
	l := confirmed(t)
	l.ping(l.client)
	l.ping(l.server)
	inFlight := l.seal(outgoing(l.server, OneRTT, []byte("in flight")))
	if err := l.client.Update(); err != nil {
		t.Fatal(err)
	}
	l.client.ForgetPrevious() // nothing of the new phase came yet
	l.table.Remove(nil)
	l.add(l.client, "")
	l.opens(inFlight, 1, []byte("in flight"))
	if l.client.Phase() != 1 || l.client.Err() != nil {
		t.Error(l.client.Phase(), l.client.Err())
	}
}

// A probe that only listens follows updates of the side that it listens to.
func TestListenerFollowsUpdates(t *testing.T) {
	l := newLink(t, Version1)
	secret := secretOf(AES128GCM, 3)
	if l.server.Install(OneRTT, ciphers.Opening, AES128GCM, secret) != nil {
		t.Fatal("cannot install")
	}
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		if err := l.client.Install(OneRTT, d, AES128GCM, secret); err != nil {
			t.Fatal(err)
		}
	}
	l.client.Confirm()
	for phase := range uint64(3) {
		if got := l.ping(l.client); got != phase {
			t.Errorf("phase %d, not %d", got, phase)
		}
		if err := l.client.Update(); err != nil {
			t.Fatal(err)
		}
	}
}
