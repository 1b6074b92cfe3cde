package replay

import "math"

// model is the plain meaning of a window: the set of all that was accepted, and
// an age limit. It shares no idea with the bitmap.
type model struct {
	size    uint64
	highest uint64
	seen    map[uint64]bool
}

func newModel(size int) *model {
	return &model{size: uint64(size), seen: map[uint64]bool{}}
}

func (m *model) check(number uint64) Verdict {
	switch {
	case m.seen[number]:
		if number < m.floor() {
			return TooOld
		}
		return Duplicate
	case len(m.seen) > 0 && number < m.floor():
		return TooOld
	}
	return Fresh
}

func (m *model) accept(number uint64) Verdict {
	verdict := m.check(number)
	if verdict == Fresh {
		m.seen[number] = true
		m.highest = max(m.highest, number)
	}
	return verdict
}

// floor is the lowest number that the window still knows.
func (m *model) floor() uint64 {
	if m.highest < m.size {
		return 0
	}
	return m.highest - m.size + 1
}

func sizes() []int {
	var all []int
	for size := MinSize; size <= MaxSize; size *= 2 {
		all = append(all, size)
	}
	return all
}

// bases are the neighbourhoods where arithmetic on numbers goes wrong.
var bases = []uint64{0, 1 << 31, 1 << 32, 1<<48 - 1, 1<<62 - 1, 1 << 63, math.MaxUint64}
