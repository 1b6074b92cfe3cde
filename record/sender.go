package record

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

var (
	// ErrNumbersExhausted says that the format has no higher number; only a new key
	// goes on.
	ErrNumbersExhausted = errors.New("record: sequence numbers are exhausted")
	// ErrUsageLimit says that the key has sealed as many records as its algorithm
	// allows; only a new key goes on.
	ErrUsageLimit = errors.New("record: usage limit of the key is reached")
	// ErrEpochsExhausted says that the format has no higher epoch; only a new
	// association goes on.
	ErrEpochsExhausted = errors.New("record: epochs are exhausted")
)

// SenderConfig describes the sending side of one key.
type SenderConfig struct {
	Limits Limits // from LimitsFor, or the caller's own
	Epoch  uint64 // at most Limits.MaxEpoch
	First  uint64 // the first number: 0, but 1 for ESP, and where the last key stopped for QUIC

	// Used is where the sender counts the numbers that it hands out, each before it does,
	// beginning with 0: in memory that outlives the process, say, which then knows after a
	// kill where to go on. Nobody else writes there. It may be nil.
	Used *atomic.Uint64
}

// Sender hands out the numbers of one sending key: each once, in order, none beyond
// the limits. Any number of goroutines may use it.
type Sender struct {
	used  *atomic.Uint64 // how many were handed out; never above room
	own   atomic.Uint64  // where used leads unless the user says otherwise
	first uint64
	room  uint64
	full  error  // what ends it: numbers or usage
	soon  uint64 // from here on a new key is due
	epoch uint64
}

// NewSender makes a sender. It returns ErrEpochsExhausted for an epoch beyond the
// format's last, and ErrConfig for a First beyond its last number.
func NewSender(c SenderConfig) (*Sender, error) {
	if err := checkLimits(c.Limits, c.Epoch); err != nil {
		return nil, err
	}
	if c.First > c.Limits.MaxNumber {
		return nil, &FieldError{Field: "First", Reason: fmt.Sprintf("%d is above %d", c.First, c.Limits.MaxNumber)}
	}
	s := &Sender{first: c.First, epoch: c.Epoch, full: ErrNumbersExhausted, used: c.Used}
	if s.used == nil {
		s.used = &s.own
	}
	s.used.Store(0)
	s.room = c.Limits.MaxNumber - c.First
	if s.room != math.MaxUint64 { // all 2^64 numbers cannot be counted; the last is given up
		s.room++
	}
	if c.Limits.Sealed < s.room {
		s.room, s.full = c.Limits.Sealed, ErrUsageLimit
	}
	s.soon = min(c.Limits.Rekey, s.room-s.room/8)
	return s, nil
}

func checkLimits(l Limits, epoch uint64) error {
	for _, limit := range [...]struct {
		field string
		value uint64
	}{{"MaxNumber", l.MaxNumber}, {"Sealed", l.Sealed}, {"Rekey", l.Rekey}, {"Forged", l.Forged}} {
		if limit.value == 0 {
			return &FieldError{Field: "Limits." + limit.field, Reason: "0 allows nothing; take Limits from LimitsFor, or set the field"}
		}
	}
	if epoch > l.MaxEpoch {
		return fmt.Errorf("%w: %d is above %d", ErrEpochsExhausted, epoch, l.MaxEpoch)
	}
	return nil
}

// Reserve takes n consecutive numbers, the first of which it returns. It grants
// fewer only with an error, ErrNumbersExhausted or ErrUsageLimit; those granted
// are good all the same. What is reserved and then not used is lost.
func (s *Sender) Reserve(n int) (first uint64, granted int, err error) {
	if n <= 0 {
		return 0, 0, nil
	}
	for {
		used := s.used.Load()
		grant := min(uint64(n), s.room-used)
		if grant == 0 {
			return 0, 0, s.full
		}
		if !s.used.CompareAndSwap(used, used+grant) {
			continue
		}
		if grant < uint64(n) {
			err = s.full
		}
		return s.first + used, int(grant), err
	}
}

// Used is how many numbers were handed out.
func (s *Sender) Used() uint64 { return s.used.Load() }

// RekeySoon reports whether a new key is due: seven eighths of the numbers or of the
// usage limit are gone, or the recommendation of Limits.Rekey is reached.
func (s *Sender) RekeySoon() bool { return s.used.Load() >= s.soon }

// Epoch is the epoch that the numbers belong to.
func (s *Sender) Epoch() uint64 { return s.epoch }
