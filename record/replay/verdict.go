package replay

// Verdict is what a window says of a number. The zero value is none.
type Verdict uint8

// The verdicts. They are counted apart: a duplicate is a replay or a network
// that repeats, a number too old is a network that reorders or a window too small.
const (
	Fresh     Verdict = iota + 1 // not seen, and young enough to know
	Duplicate                    // accepted before
	TooOld                       // below the window
)

// String is the lower-case name.
func (v Verdict) String() string {
	switch v {
	case Fresh:
		return "fresh"
	case Duplicate:
		return "duplicate"
	case TooOld:
		return "too old"
	}
	return "no verdict"
}
