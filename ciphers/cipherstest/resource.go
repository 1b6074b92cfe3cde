package cipherstest

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
)

// testAllocations counts allocations of bursts of 32 that are sealed in place
// and out of place, opened, and refused as forged.
func testAllocations(t *testing.T, s subject) {
	if race.Uncounted {
		t.Log("not counted in this build")
		return
	}
	w := newWriter("allocations")
	for _, f := range s.forms() {
		k := s.newKeys(t, f, w.src)
		for _, apart := range []bool{false, true} {
			var records, forged []record
			for i := range 32 {
				r := w.mixed(k, i, -1)
				r.apart = apart
				records = append(records, r)
				r.forged, r.fault = true, flipTag(0)
				forged = append(forged, r)
			}
			s.countAllocations(t, f, "Seal", s.impl.Seal, newScene(ciphers.Sealing, records))
			s.countAllocations(t, f, "Open", s.impl.Open, newScene(ciphers.Opening, records))
			s.countAllocations(t, f, "Open of forged packets", s.impl.Open, newScene(ciphers.Opening, forged))
		}
	}
}

func (s subject) countAllocations(t *testing.T, f form, op string, run func(ciphers.Burst) int, scene *scene) {
	t.Helper()
	border := ciphers.SealBorder
	if scene.direction == ciphers.Opening {
		border = ciphers.OpenBorder
	}
	burst := ciphers.Burst{Packets: scene.packets, Index: ciphers.Identity(len(scene.packets))}
	if n := testing.AllocsPerRun(20, func() { border(scene.packets); run(burst) }); n != 0 {
		t.Errorf("%v, %s: %v allocations a burst of %d", f, op, n, len(scene.packets))
	}
}

// testConcurrency runs bursts under the same keys on many goroutines at once.
func testConcurrency(t *testing.T, s subject) {
	w := newWriter("concurrency")
	all := s.manyKeys(t, w, 3)
	var work sync.WaitGroup
	for worker := range 8 {
		var records []record
		for i := range 48 {
			records = append(records, w.mixed(all[(i+worker)%3], i+worker, -1))
		}
		work.Go(func() {
			for range 20 {
				for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
					if !s.quietly(newScene(d, records)) {
						t.Errorf("worker %d: a burst went wrong beside others", worker)
						return
					}
				}
			}
		})
	}
	work.Wait()
}

// quietly runs a scene where t must not be stopped.
func (s subject) quietly(scene *scene) bool {
	var n int
	if scene.direction == ciphers.Sealing {
		n = scene.seal(s.impl, Run{})
	} else {
		n = Run{}.Open(s.impl, scene.packets)
	}
	return n == len(scene.packets) && bytes.Equal(scene.arena, scene.want)
}

// testClose looks at a key's storage after Close, and at packets that still
// name the key.
func testClose(t *testing.T, s subject) {
	w := newWriter("close")
	k := s.newKeys(t, s.forms()[0], w.src)
	records := []record{w.record(k, 100).write(), w.record(k, 0).write()}
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		scene := newScene(d, records)
		closeAndLook(t, scene.packets[0].Key)
		for i := range records {
			scene.refuse(i, ciphers.StatusKeyClosed)
		}
		scene.run(t, s.impl, Run{})
	}
}

func closeAndLook(t *testing.T, k *ciphers.Key) {
	t.Helper()
	schedule := k.State(ciphers.SlotBulk).Schedule()
	isZero := func(b byte) bool { return b == 0 }
	if len(schedule) > 0 && !slices.ContainsFunc(schedule, func(b byte) bool { return !isZero(b) }) {
		t.Error("the schedule is all zero before Close")
	}
	k.Close()
	if i := slices.IndexFunc(schedule, func(b byte) bool { return !isZero(b) }); i >= 0 {
		t.Errorf("byte %d of the schedule outlives Close", i)
	}
	if k.State(ciphers.SlotBulk).Object != nil {
		t.Error("the object outlives Close")
	}
}
