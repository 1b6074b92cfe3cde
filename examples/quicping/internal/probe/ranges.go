package probe

import "github.com/sealburst/sealburst/examples/quicping/frame"

// maxRanges bounds what is acknowledged: older gaps are forgotten.
const maxRanges = 32

// ranges are the numbers received, the highest first, with a gap between any two.
type ranges []frame.Range

// add takes a number in, which may be in already.
func (r *ranges) add(n uint64) {
	all := *r
	for i := range all {
		switch {
		case n > all[i].High+1:
			*r = insert(all, i, n)
			return
		case n == all[i].High+1:
			all[i].High++ // the gap above is at least one number wide
			*r = join(all, i-1)
			return
		case n >= all[i].Low:
			return
		case n+1 == all[i].Low:
			all[i].Low--
			*r = join(all, i)
			return
		}
	}
	*r = insert(all, len(all), n)
}

// insert puts a number that touches no range at place i.
func insert(all ranges, i int, n uint64) ranges {
	all = append(all, frame.Range{})
	copy(all[i+1:], all[i:])
	all[i] = frame.Range{Low: n, High: n}
	return all[:min(len(all), maxRanges)]
}

// join makes one of ranges i and i+1 where they touch.
func join(all ranges, i int) ranges {
	if i < 0 || i+1 >= len(all) || all[i].Low != all[i+1].High+1 {
		return all
	}
	all[i].Low = all[i+1].Low
	return append(all[:i+1], all[i+2:]...)
}
