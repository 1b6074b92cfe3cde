// Package replay holds the sliding window that keeps a record from being
// accepted twice: the bitmap of RFC 6479, sized as RFC 4303 section 3.4.3 and
// RFC 6347 section 4.1.2.6 describe it.
//
// A receiver asks twice. Check, before authentication, spares the cost of
// opening what would be refused anyway. Accept, after authentication, marks the
// number. Only Accept moves the window, so a forger cannot.
//
// The zero Window protects, with DefaultSize. Only Disabled makes one that does not.
package replay

import (
	"errors"
	"fmt"
	"math/bits"
)

// The sizes of a window, in numbers that it remembers. There is one of every power of
// two from MinSize to MaxSize; SizeFor chooses.
const (
	MinSize     = 32
	DefaultSize = 64
	MaxSize     = 8192
)

// ErrSize says that no window remembers so many numbers.
var ErrSize = errors.New("replay: size is not 0 to 8192")

// SizeFor is the size of the smallest window that remembers at least so many numbers, and
// DefaultSize for 0. It returns ErrSize for fewer than none and for more than MaxSize.
func SizeFor(numbers int) (size int, err error) {
	switch {
	case numbers < 0 || numbers > MaxSize:
		return 0, fmt.Errorf("%w: %d", ErrSize, numbers)
	case numbers == 0:
		return DefaultSize, nil
	}
	return max(MinSize, 1<<bits.Len(uint(numbers-1))), nil
}

// Window remembers which of the last Size numbers were accepted. Numbers take
// the whole range of uint64.
//
// A Window is not safe for concurrent use, and must not be copied once used.
//
// Invariant: if any number was accepted, bit highest is set. A number n sits in
// bit n%64 of block n/64%len(ring); the ring has a block more than the window
// needs, so that whole blocks can be cleared ahead of it (RFC 6479 section 2).
type Window struct {
	highest uint64
	size    uint64 // 0 means DefaultSize
	ring    []uint64
	small   [2]uint64 // the ring of windows up to 64, which need no allocation
	off     bool
}

// New makes a window of the size that SizeFor has for so many numbers, or returns its
// ErrSize.
func New(numbers int) (*Window, error) {
	size, err := SizeFor(numbers)
	if err != nil {
		return nil, err
	}
	w := &Window{size: uint64(size)}
	if size > DefaultSize {
		w.ring = make([]uint64, size/64*2)
	}
	return w, nil
}

// Disabled makes a window that finds every number fresh. It still knows the
// highest one, which number recovery needs. RFC 4303 section 3.4.3 lets a
// receiver choose so.
func Disabled() *Window { return &Window{off: true} }

// Size is how many numbers the window remembers, and 0 if it is disabled.
func (w *Window) Size() int {
	if w.off {
		return 0
	}
	return int(w.width())
}

// Highest is the highest number accepted so far. It reports false before the first.
func (w *Window) Highest() (number uint64, ok bool) {
	block, bit := w.place(w.highest)
	return w.highest, *block&bit != 0
}

// Check says what Accept would find, and changes nothing. It is meant for
// before authentication.
func (w *Window) Check(number uint64) Verdict {
	if w.off || number > w.highest {
		return Fresh
	}
	return w.recall(number)
}

// recall is Check for a number that is not above the highest. It stands apart so that the
// compiler puts Check, which most numbers pass, into its callers.
//
//go:noinline
func (w *Window) recall(number uint64) Verdict {
	if w.highest-number >= w.width() {
		return TooOld
	}
	if block, bit := w.place(number); *block&bit != 0 {
		return Duplicate
	}
	return Fresh
}

// Accept marks the number of an authenticated record. Any verdict but Fresh
// means that the record must be dropped: another one with its number came
// first, perhaps since Check, or the window has moved past it.
func (w *Window) Accept(number uint64) Verdict {
	if number > w.highest {
		w.advance(number)
	} else if verdict := w.Check(number); verdict != Fresh {
		return verdict
	}
	// In a disabled window an old number marks a bit that is not its own, which
	// nobody reads.
	block, bit := w.place(number)
	*block |= bit
	return Fresh
}

// AcceptRow marks the n numbers from first on, where all of them are above the highest, as
// those of most bursts are: it does at once what Accept does for each. Else it reports
// false and changes nothing.
func (w *Window) AcceptRow(first uint64, n int) bool {
	last := first + uint64(n) - 1
	if n <= 0 || first <= w.highest || last < first {
		return false
	}
	w.advance(last)
	ring := w.blocks()
	kept := min(last/64, uint64(len(ring)-1)) // blocks below the last one
	for block := max(first/64, last/64-kept); block <= last/64; block++ {
		marks := ^uint64(0)
		if block == first/64 {
			marks <<= first % 64
		}
		if block == last/64 {
			marks &= ^uint64(0) >> (63 - last%64)
		}
		ring[block&uint64(len(ring)-1)] |= marks
	}
	return true
}

// advance makes number the highest and clears the blocks between.
func (w *Window) advance(number uint64) {
	from, to := w.highest/64, number/64
	w.highest = number
	if from != to {
		w.turn(from, to)
	}
}

// turn clears the blocks that the window enters.
func (w *Window) turn(from, to uint64) {
	ring := w.blocks()
	if to-from >= uint64(len(ring)) {
		clear(ring)
	} else {
		for b := from + 1; b <= to; b++ {
			ring[b&uint64(len(ring)-1)] = 0
		}
	}
}

func (w *Window) place(number uint64) (block *uint64, bit uint64) {
	ring := w.blocks()
	return &ring[number/64&uint64(len(ring)-1)], 1 << (number % 64)
}

func (w *Window) blocks() []uint64 {
	if w.ring == nil {
		return w.small[:]
	}
	return w.ring
}

func (w *Window) width() uint64 {
	if w.size == 0 {
		return DefaultSize
	}
	return w.size
}
