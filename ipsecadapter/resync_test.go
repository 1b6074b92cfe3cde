package ipsecadapter

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// TestResynchronisation loses more than 2^32 packets in a row (RFC 4303 appendix A3): the
// receiver fails to open what follows, and then finds the high half again.
func TestResynchronisation(t *testing.T) {
	for _, transform := range Transforms() {
		for _, lost := range []uint64{1, 2, strayReach} { // times 2^32, after what is recovered by itself
			a := association4(transform)
			a.ESN = true
			p := pairOf(t, a)
			o := newOracle(t, &a)
			wantCauses(t, "before", arrive(t, p, o, 1, 2, 3), fresh, fresh, fresh)
			number := lost<<32 + 1000
			for range strayAfter {
				number++
				wantCauses(t, "astray", arrive(t, p, o, number), forged)
			}
			if highest, _ := p.receiver.Highest(); highest != 3 {
				t.Fatalf("%v: forgeries moved the window to %d", transform, highest)
			}
			got := arrive(t, p, o, number+1, number+3, number+2, number+3)
			wantCauses(t, transform.String()+": found again", got, fresh, fresh, fresh, replayed)
			if highest, _ := p.receiver.Highest(); highest != number+3 {
				t.Errorf("%v: highest is %d, want %d", transform, highest, number+3)
			}
			wantCauses(t, "afterwards", arrive(t, p, o, number+4, number), fresh, fresh)
		}
	}
}

// TestResynchronisationOfAH does the same with AH.
func TestResynchronisationOfAH(t *testing.T) {
	for _, transform := range AHTransforms() {
		w := ahWays(20)[0]
		w.esn = true
		a := w.association(transform)
		p := pairOf(t, a)
		o := newOracleAH(t, &a)
		number := uint64(3<<32 + 77)
		for range strayAfter {
			if d := p.open(w.byOracle(o, number)); d.Drop != record.DropUnauthentic {
				t.Fatalf("%v: astray: %v", transform, d.Drop)
			}
			number++
		}
		if d := p.open(w.byOracle(o, number)); d.Drop != record.DropNone || !bytes.Equal(d.Content(), w.packet) {
			t.Errorf("%v: %v: %x", transform, d.Drop, d.Content())
		}
	}
}

// TestResynchronisationReach leaves an SA astray that is further away than is looked, and goes
// on opening what is not.
func TestResynchronisationReach(t *testing.T) {
	a := association4(AES128GCM16)
	a.ESN = true
	p := pairOf(t, a)
	o := newOracle(t, &a)
	wantCauses(t, "before", arrive(t, p, o, 1), fresh)
	for i := range uint64(3 * strayAfter) {
		wantCauses(t, "too far", arrive(t, p, o, (strayReach+1)<<32+i+2), forged)
	}
	wantCauses(t, "near", arrive(t, p, o, 2, 3), fresh, fresh)
}

// TestForgersResynchroniseNothing sends nothing but forgeries, among which what is good is
// delivered, and counts that a good packet begins the count anew.
func TestForgersResynchroniseNothing(t *testing.T) {
	a := association4(AES128GCM16)
	a.ESN = true
	p := pairOf(t, a)
	o, forger := newOracle(t, &a), newOracle(t, &a)
	forger.salt = []byte("evil")
	for i := range uint64(4*strayAfter + 7) {
		wantCauses(t, "forged", arrive(t, p, forger, 10+i), forged)
	}
	wantCauses(t, "good", arrive(t, p, o, 1), fresh)
	if n := p.receiver.stray.failed.Load(); n != 0 {
		t.Errorf("%d failures are counted after a good packet", n)
	}
	if n := p.receiver.Failed(); n != 4*strayAfter+7 {
		t.Errorf("%d failures in all", n)
	}
}

// TestNoResynchronisationWithoutESN tries no other high half where there is none.
func TestNoResynchronisationWithoutESN(t *testing.T) {
	a := association4(AES128GCM16)
	p := pairOf(t, a)
	forger := newOracle(t, &a)
	forger.salt = []byte("evil")
	for i := range uint64(2 * strayAfter) {
		wantCauses(t, "forged", arrive(t, p, forger, 10+i), forged)
	}
	if n := p.receiver.stray.failed.Load(); n != 0 {
		t.Errorf("%d failures are counted", n)
	}
}
