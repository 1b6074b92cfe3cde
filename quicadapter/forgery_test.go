package quicadapter

import (
	"bytes"
	"errors"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// forged is a packet whose tag is wrong.
func forged(wire []byte) []byte {
	b := bytes.Clone(wire)
	b[len(b)-1] ^= 1
	return b
}

// refusesForgery wants a packet to fail as a forgery does: opened, counted, unauthentic.
func (l *link) refusesForgery(name string, to *Conn, wire []byte) {
	l.Helper()
	failed, opened := to.Failed(), l.engine.Stats().Open.Packets
	if p := l.open(wire)[0]; p.Drop != record.DropUnauthentic {
		l.Errorf("%s: drop %v", name, p.Drop)
	}
	if n := l.engine.Stats().Open.Packets - opened; n != 1 {
		l.Errorf("%s: the engine opened %d packets", name, n)
	}
	if n := to.Failed() - failed; n != 1 {
		l.Errorf("%s: counted %d forgeries", name, n)
	}
}

// RFC 9001 section 9.5: whether a number was received must not show before the packet
// proved authentic.
func TestForgeriesDoNotTellReceivedNumbers(t *testing.T) {
	l := pair(t)
	numbered := func() []byte {
		p := outgoing(l.client, OneRTT, make([]byte, 100))
		p.NumberSize = 4
		return l.seal(p)
	}
	received, fresh := numbered(), numbered()
	l.drops(received, record.DropNone)
	l.refusesForgery("received", l.server, forged(received))
	l.refusesForgery("fresh", l.server, forged(fresh))
	l.drops(received, record.DropReplayed)
	heard(l.server, DefaultWindow)
	l.refusesForgery("too old", l.server, forged(received))
	l.drops(received, record.DropTooOld)
	if n := l.server.Failed(); n != 3 {
		t.Errorf("%d forgeries, counted %d: replays are authentic", 3, n)
	}
}

// Nor must the key phase, where the keys of the phase before are gone.
func TestForgeriesDoNotTellForgottenPhases(t *testing.T) {
	l := confirmed(t)
	l.ping(l.client)
	late := l.seal(outgoing(l.client, OneRTT, make([]byte, 100)))
	if err := l.client.Update(); err != nil {
		t.Fatal(err)
	}
	present := l.seal(outgoing(l.client, OneRTT, make([]byte, 100)))
	l.ping(l.client)
	l.refusesForgery("previous phase", l.server, forged(late))
	l.server.ForgetPrevious()
	l.refusesForgery("forgotten phase", l.server, forged(late))
	l.refusesForgery("forgotten phase, authentic", l.server, late)
	l.refusesForgery("present phase", l.server, forged(present))
	if l.server.Phase() != 1 || l.server.Err() != nil {
		t.Error(l.server.Phase(), l.server.Err())
	}
}

// The keys that stand in for forgotten ones must not let a peer number downwards.
func TestNextKeysBelowAForgottenPhaseAreAnError(t *testing.T) {
	o := newOracle(t, Version1, AES128GCM, secretOf(AES128GCM, 3))
	l := confirmed(t)
	l.ping(l.client)
	next := o.next()
	l.drops(next.seal([]byte{0x40 | phaseBit, 9}, make([]byte, 8), 9, 1), record.DropNone)
	l.server.ForgetPrevious()
	l.in.Open([]record.Datagram{datagram(next.next().seal([]byte{0x40, 5}, make([]byte, 8), 5, 1))})
	if err := l.server.Err(); !errors.Is(err, ErrKeyUpdate) || l.server.Phase() != 1 {
		t.Error(err, l.server.Phase())
	}
}

// Guesses at received numbers use up the integrity limit as all forgeries do.
func TestForgedReplaysReachTheIntegrityLimit(t *testing.T) {
	l := pair(t)
	l.server.limit = 3
	wire := l.seal(outgoing(l.client, OneRTT, make([]byte, 100)))
	l.drops(wire, record.DropNone)
	for range 3 {
		l.drops(forged(wire), record.DropUnauthentic)
	}
	if err := l.server.Err(); !errors.Is(err, record.ErrIntegrityLimit) {
		t.Error(err)
	}
}
