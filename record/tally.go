package record

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Tally counts by cause, as plain numbers: one burst's drops while they are
// gathered, or a snapshot of Drops. Index it with a Drop. DropNone counts what was
// not dropped. As text and as JSON it names the causes that occurred.
type Tally [NumDrops]uint64

// Dropped is how many were dropped: the sum over all causes, without DropNone. It
// takes a pointer, since it is asked for each burst.
func (t *Tally) Dropped() uint64 {
	var sum uint64
	for _, n := range t[DropNone+1:] {
		sum += n
	}
	return sum
}

// ByName gives the count of every cause that occurred under the name that
// Drop.String has for it. DropNone is no cause and is left out; without drops the
// map is empty, not nil. It allocates: it is for reports, not for a burst.
func (t Tally) ByName() map[string]uint64 {
	named := make(map[string]uint64)
	for cause, n := range t {
		if n != 0 && Drop(cause) != DropNone {
			named[Drop(cause).String()] = n
		}
	}
	return named
}

// String lists the causes that occurred in the order of their numbers, as in
// "replayed 2, unauthentic 1", or is "none".
func (t Tally) String() string {
	var text []byte
	for cause, n := range t {
		if n == 0 || Drop(cause) == DropNone {
			continue
		}
		if len(text) > 0 {
			text = append(text, ", "...)
		}
		text = append(text, Drop(cause).String()...)
		text = strconv.AppendUint(append(text, ' '), n, 10)
	}
	if len(text) == 0 {
		return DropNone.String()
	}
	return string(text)
}

// MarshalJSON makes the object that ByName describes. What was not dropped is not in it.
func (t Tally) MarshalJSON() ([]byte, error) { return json.Marshal(t.ByName()) }

// UnmarshalJSON reads such an object in the place of all counts. A name that is no
// cause is an error.
func (t *Tally) UnmarshalJSON(text []byte) error {
	var named map[string]uint64
	if err := json.Unmarshal(text, &named); err != nil {
		return fmt.Errorf("record: drops: %w", err)
	}
	var read Tally
	for cause := DropNone + 1; cause < numDrops; cause++ {
		if n, ok := named[cause.String()]; ok {
			read[cause] = n
			delete(named, cause.String())
		}
	}
	for name := range named {
		return fmt.Errorf("record: drops: no cause is called %q", name)
	}
	*t = read
	return nil
}
