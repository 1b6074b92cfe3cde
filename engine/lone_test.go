package engine

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// loneEngine has a backend for full bursts and one for up to 3 packets.
func loneEngine(t *testing.T) (e *Engine, bulk, lone *ciphers.Backend) {
	bulk, lone = fake(t, "bulk", 3, ciphers.AES128GCM), fake(t, "lone", 1, ciphers.AES128GCM)
	wrong := fake(t, "wrong", 2, ciphers.AES128GCM)
	wrong.AEADs[ciphers.AES128GCM] = &broken{AEAD: wrong.AEADs[ciphers.AES128GCM], seal: flipFirst}
	bulk.Lone = map[Algorithm]int{ciphers.AES128GCM: 3}
	e = only(t, bulk, wrong, lone)
	seen(bulk, ciphers.AES128GCM)
	seen(lone, ciphers.AES128GCM)
	return e, bulk, lone
}

func TestSmallBurstsGoToTheNextBackend(t *testing.T) {
	e, bulk, lone := loneEngine(t)
	seal, open := specOf(ciphers.AES128GCM, ciphers.Sealing), specOf(ciphers.AES128GCM, ciphers.Opening)
	sealing, opening := mustKey(t, e, seal), mustKey(t, e, open)
	for _, n := range []int{1, 2, 3, 4, 5, 32} {
		ps := sealable(sealing, n)
		e.Seal(ps)
		for i := range ps {
			plain := counting(100, byte(i))
			want := librarySeal(t, &seal, ps[i].Number, 0, plain[20:84], plain[:20])
			if !bytes.Equal(ps[i].Buf[20:], want) {
				t.Errorf("packet %d of %d: wrong", i, n)
			}
		}
		if ok := e.Open(openable(ps, opening)); ok != n {
			t.Errorf("opened %d of %d", ok, n)
		}
		few, many := seen(lone, ciphers.AES128GCM), seen(bulk, ciphers.AES128GCM)
		if n <= 3 && (len(few) != 2 || len(many) != 0) || n > 3 && (len(few) != 0 || len(many) != 2) {
			t.Errorf("%d packets: lone was called %d times, bulk %d", n, len(few), len(many))
		}
		for _, b := range few {
			if b.Slot != ciphers.SlotLone {
				t.Errorf("lone was handed slot %d", b.Slot)
			}
		}
		for _, b := range many {
			if b.Slot != ciphers.SlotBulk {
				t.Errorf("bulk was handed slot %d", b.Slot)
			}
		}
	}
}

// TestThresholdCountsThePlansPackets hands over a large burst of which few
// packets are under the plan.
func TestThresholdCountsThePlansPackets(t *testing.T) {
	bulk, lone := fake(t, "bulk", 2, ciphers.AES128GCM), fake(t, "lone", 1, ciphers.AES128GCM, ciphers.AES256GCM)
	bulk.Lone = map[Algorithm]int{ciphers.AES128GCM: 3}
	e := only(t, bulk, lone)
	ps := sealable(mustKey(t, e, specOf(ciphers.AES256GCM, ciphers.Sealing)), 9)
	ps[4].Key = mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	seen(lone, ciphers.AES128GCM)
	if ok := e.Seal(ps); ok != 9 {
		t.Fatalf("sealed %d of 9", ok)
	}
	if n := len(seen(lone, ciphers.AES128GCM)); n != 1 {
		t.Errorf("lone was called %d times for the single packet, want 1", n)
	}
}

func TestReportShowsTheLonePlan(t *testing.T) {
	e, _, _ := loneEngine(t)
	a := e.Report().Algorithms[0]
	if a.Backend != "bulk" || a.Lone != "lone" || a.LoneMax != 3 {
		t.Errorf("report %+v", a)
	}
	if len(a.Refused) != 1 || a.Refused[0].Backend != "wrong" {
		t.Errorf("refused %+v", a.Refused)
	}
}

func TestAEADIsALonePacket(t *testing.T) {
	_, bulk, lone := loneEngine(t)
	lib := ciphers.Backend{Name: "library", AEADs: map[Algorithm]ciphers.AEAD{ciphers.AES128GCM: std(t).AEADs[ciphers.AES128GCM]}}
	e := only(t, bulk, lone, &lib)
	a, err := e.AEAD(ciphers.AES128GCM, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	seen(lone, ciphers.AES128GCM)
	a.Seal(nil, make([]byte, 12), make([]byte, 100), nil)
	if n := len(seen(lone, ciphers.AES128GCM)); n != 1 {
		t.Errorf("lone was called %d times, want 1", n)
	}
}
