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
	// ErrConfig says which field of a configuration cannot be.
	ErrConfig = errors.New("record: bad configuration")
)

// SenderConfig describes the sending side of one key.
type SenderConfig struct {
	Limits Limits // from LimitsFor
	Epoch  uint64 // at most Limits.MaxEpoch
	First  uint64 // the first number: 0, but 1 for ESP, and where the last key stopped for QUIC
}

// Sender hands out the numbers of one sending key: each once, in order, none beyond
// the limits. Any number of goroutines may use it.
type Sender struct {
	used  atomic.Uint64 // how many were handed out; never above room
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
		return nil, fmt.Errorf("%w: First %d is above %d", ErrConfig, c.First, c.Limits.MaxNumber)
	}
	s := &Sender{first: c.First, epoch: c.Epoch, full: ErrNumbersExhausted}
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
	if l.MaxNumber == 0 || l.Sealed == 0 || l.Rekey == 0 || l.Forged == 0 {
		return fmt.Errorf("%w: Limits are not from LimitsFor", ErrConfig)
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
