package seqstore

import "math"

// Supply is the sequence numbers of one SA. One goroutine takes them.
type Supply struct {
	store    *Store
	spi      uint32
	reserved uint64 // the first number that is not written down as used
	left     int    // numbers below it that nobody took
}

// chunk is how many numbers are written down at a time. So many are lost when a gateway
// ends without a word.
const chunk = 1 << 22

// Supply begins at a number that no packet had.
func (s *Store) Supply(spi uint32, first uint64) Supply {
	return Supply{store: s, spi: spi, reserved: first}
}

// Take makes sure that the number of one packet more is written down as used. A packet
// that is then not sent costs its number.
func (s *Supply) Take() error {
	if s.left == 0 {
		more := min(chunk, math.MaxUint64-s.reserved) // at the end of all numbers there are fewer
		if err := s.store.Reserve(s.spi, s.reserved+more); err != nil {
			return err
		}
		s.reserved += more
		s.left = chunk
	}
	s.left--
	return nil
}
