package cipherstest

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// deviceTests are the parts of TestAEAD that TestDevice runs again over a lane: what
// depends on how packets travel.
var deviceTests = []string{
	"KnownAnswers", "EveryLength", "AssociatedData", "BadPacketsAmongGoodOnes", "FailureZeroesPlaintext", "MixedKeys", "MixedLengths",
	"SpareRoomIsNotWritten", "BurstSizes", "PartialPermutedIndex", "LoneSlot", "NoAllocations", "ConcurrentUseOfOneKey",
}

// TestDevice runs the kit over a device's lanes, with packets in Go memory and, for
// each kind of memory that the device works on, in memory that allocate makes of
// that kind. It tests besides what ciphers.Lane promises. TestBackend tests the
// implementation's own Seal and Open.
func TestDevice(t *testing.T, alg ciphers.Algorithm, impl ciphers.Asynchronous, allocate func(t testing.TB, n int) []byte) {
	t.Run("Traits", func(t *testing.T) { testTraits(t, impl.Device()) })
	t.Run("Lane", func(t *testing.T) { runDevice(t, alg, newOverLane(t, impl)) })
	for _, kind := range impl.Device().Traits().InPlace {
		t.Run("Lane-"+kind.String(), func(t *testing.T) {
			over := newOverLane(t, impl)
			over.relocate = &relocation{kind: kind, arena: allocate(t, arenaSize)}
			before := impl.Device().Stats()
			runDevice(t, alg, over)
			if after := impl.Device().Stats(); after.Placed == before.Placed {
				t.Errorf("nothing was worked on in place: %+v", after)
			}
		})
	}
	s := subject{alg, impl}
	t.Run("LaneIsBounded", func(t *testing.T) { testLaneBound(t, s, impl.Device()) })
	t.Run("LaneGivesBackEveryToken", func(t *testing.T) { testLaneTokens(t, s, impl.Device()) })
	t.Run("LanesAreBounded", func(t *testing.T) { testLanes(t, impl.Device()) })
}

func runDevice(t *testing.T, alg ciphers.Algorithm, impl *overLane) {
	tests := aeadTests
	if alg.Integrity() != 0 {
		tests = pairTests(alg)
	}
	for _, part := range tests {
		if slices.Contains(deviceTests, part.name) {
			t.Run(part.name, func(t *testing.T) { part.run(t, subject{alg, impl.limited()}) })
		}
	}
}

func testTraits(t *testing.T, d ciphers.Device) {
	if tr := d.Traits(); tr.Name == "" || tr.Burst < 1 || tr.Burst > ciphers.MaxBurst || tr.InFlight < 1 || tr.Lanes < 1 {
		t.Errorf("%+v", tr)
	}
}

// testLaneBound submits until the lane is full. It holds no less than its device says,
// takes more once bursts came back, and gives every one back.
func testLaneBound(t *testing.T, s subject, d ciphers.Device) {
	w := newWriter("lane bound")
	k := s.newKeys(t, s.forms()[0], w.src)
	lane := openLane(t, d)
	n, back := 0, 0
	for ; n < 10000; n++ {
		scene := newScene(ciphers.Sealing, []record{w.record(k, 64).write()})
		ciphers.SealBorder(scene.packets)
		if !lane.Submit(Run{}.burst(scene.packets), ciphers.Sealing, uint64(n)) {
			break
		}
	}
	if n < d.Traits().InFlight || n == 10000 {
		t.Errorf("the lane took %d bursts, and says %d", n, d.Traits().InFlight)
	}
	var done [3]uint64
	for tries := 0; back < n && tries < 1<<20; tries++ {
		back += lane.Poll(done[:])
	}
	if back != n || lane.Poll(done[:]) != 0 {
		t.Errorf("%d bursts came back of %d", back, n)
	}
}

// testLaneTokens has bursts of many sizes in flight, some larger than the lane's
// memory, some with packets that are not authentic, and checks every one of them.
func testLaneTokens(t *testing.T, s subject, d ciphers.Device) {
	w := newWriter("lane tokens")
	all := s.manyKeys(t, w, 5)
	lane := openLane(t, d)
	var scenes []*scene
	for i := range 40 {
		records := w.laneRecords(all, i)
		scenes = append(scenes, newScene(ciphers.Opening, records))
	}
	back := map[uint64]bool{}
	var done [7]uint64
	poll := func() {
		for _, token := range done[:lane.Poll(done[:])] {
			scene := scenes[token]
			scene.check(t, scene.ok())
			back[token] = true
		}
	}
	for i, scene := range scenes {
		scene.limit(s.impl)
		ciphers.OpenBorder(scene.packets)
		for !lane.Submit(Run{}.burst(scene.packets), ciphers.Opening, uint64(i)) {
			poll()
		}
	}
	for tries := 0; len(back) < len(scenes) && tries < 1<<22; tries++ {
		poll()
	}
	if len(back) != len(scenes) {
		t.Errorf("%d of %d bursts came back", len(back), len(scenes))
	}
}

// ok is how many packets succeeded.
func (s *scene) ok() (ok int) {
	for i := range s.packets {
		if s.packets[i].Status == ciphers.StatusOK {
			ok++
		}
	}
	return ok
}

// laneRecords are 1 to 250 records, up to 9000 bytes in some bursts.
func (w *writer) laneRecords(all []*keys, i int) (records []record) {
	sizes := []int{1, 32, 7, 250, 64}
	for n := range sizes[i%len(sizes)] {
		size := edgeLengths[(n*7+i)%len(edgeLengths)]
		if i%4 == 3 && n%3 == 0 {
			size = 9000
		}
		r := w.record(all[(n+i)%len(all)], size)
		if (n+i)%11 == 5 {
			r.forged, r.fault = true, flipTag(0)
		}
		records = append(records, r.write())
	}
	return records
}

// testLanes opens as many lanes as there are, wants an error for one more, and
// another after one was closed.
func testLanes(t *testing.T, d ciphers.Device) {
	var open []ciphers.Lane
	for range d.Traits().Lanes {
		lane, err := d.OpenLane()
		if err != nil {
			t.Fatalf("lane %d of %d: %v", len(open), d.Traits().Lanes, err)
		}
		open = append(open, lane)
	}
	if _, err := d.OpenLane(); err == nil {
		t.Errorf("one lane more than %d", len(open))
	}
	for _, lane := range open {
		lane.Close()
	}
	openLane(t, d)
}
