package ciphers

import (
	"errors"
	"slices"
	"testing"
)

// object is an implementation's own state that notes the order of events.
type object struct{ log *[]string }

func (o object) Release() { *o.log = append(*o.log, "release") }

// owner notes what a closing key asks of it, and whether the key is zero when
// it is forgotten.
type owner struct{ log *[]string }

func (o owner) Quiesce() { *o.log = append(*o.log, "quiesce") }

func (o owner) Forget(k *Key) {
	event := "forget"
	if !isZero(k.State(SlotBulk).Schedule()) {
		event = "forget too early"
	}
	*o.log = append(*o.log, event)
}

// keeper fills its schedule and keeps an object; expanding fails with err.
type keeper struct {
	nothing
	log *[]string
	err error
	got *State
}

func (k *keeper) Expand(st *State, s *KeySpec) error {
	for i := range st.Schedule() {
		st.Schedule()[i] = s.Key[0]
	}
	st.Object = object{k.log}
	k.got = st
	return k.err
}

func isZero(b []byte) bool {
	return !slices.ContainsFunc(b, func(b byte) bool { return b != 0 })
}

// TestCloseWaitsAndThenZeroes closes a key of two implementations.
func TestCloseWaitsAndThenZeroes(t *testing.T) {
	var log []string
	bulk, lone := &keeper{nothing: nothing{100}, log: &log}, &keeper{nothing: nothing{50}, log: &log}
	s := spec(AES128CCM, Sealing, NonceXOR, 13)
	k, err := NewKey(&s, &Plan{Bulk: bulk, Lone: lone}, owner{&log})
	if err != nil {
		t.Fatal(err)
	}
	schedules := [][]byte{k.State(SlotBulk).Schedule(), k.State(SlotLone).Schedule()}
	if isZero(schedules[0]) || isZero(schedules[1]) {
		t.Fatal("not expanded")
	}
	k.Close()
	k.Close()
	if want := []string{"quiesce", "release", "release", "forget"}; !slices.Equal(log, want) {
		t.Errorf("events %v, want %v", log, want)
	}
	for slot, b := range schedules {
		if !isZero(b) || k.State(slot).Object != nil {
			t.Errorf("slot %d is not empty: %x, %v", slot, b, k.State(slot).Object)
		}
	}
	if !isZero(k.iv[:]) || k.Lead() != 0 {
		t.Errorf("IV %x %x outlives Close", k.Lead(), k.iv)
	}
}

// TestFailedExpandLeavesNothing makes the second of two implementations fail.
func TestFailedExpandLeavesNothing(t *testing.T) {
	var log []string
	broken := errors.New("broken")
	bulk, lone := &keeper{nothing: nothing{100}, log: &log}, &keeper{nothing: nothing{50}, log: &log, err: broken}
	s := xor(Sealing)
	if _, err := NewKey(&s, &Plan{Bulk: bulk, Lone: lone}, nil); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	for _, impl := range []*keeper{bulk, lone} {
		if !isZero(impl.got.Schedule()) || impl.got.Object != nil {
			t.Error("a schedule or an object outlives the failure")
		}
	}
	if len(log) != 2 {
		t.Errorf("events %v, want two releases", log)
	}
}

// TestKeyCopiesTheSpec changes the spec's bytes after NewKey.
func TestKeyCopiesTheSpec(t *testing.T) {
	s := explicit(Sealing)
	k := mustKey(t, s)
	clear(s.IV)
	ps := []Packet{sealing(k)}
	SealBorder(ps)
	if ps[0].Nonce()[0] != 0xA5 {
		t.Error("the nonce follows the caller's bytes")
	}
}
