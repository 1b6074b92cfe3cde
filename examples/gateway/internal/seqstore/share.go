package seqstore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
)

// Share keeps what SAs use in memory that outlives the process, and finds out what the last
// process left there, for Count and Follow. That counts within one start of the system, for
// an SA of which the file says what that process wrote there last; else the file's number
// holds, as without memory. Where there is no such memory it fails, an errors.ErrUnsupported
// on another system than Linux, and all is as without. It is called before any number is
// used.
func (s *Store) Share(in, out []uint32) error {
	if s.path == "" {
		return nil
	}
	var places []way
	for _, spi := range in {
		if _, err := s.Mark(spi); err != nil { // it has a line from here on
			return err
		}
		places = append(places, way{spi, 0})
	}
	for _, spi := range out {
		places = append(places, way{spi, 1})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.share(places); err != nil {
		return fmt.Errorf("%s%s: %w", s.path, linkFile, err)
	}
	return nil
}

func (s *Store) share(all []way) error {
	here := link{}
	var err error
	if here.boot, here.lock, err = s.whereabouts(); err != nil {
		return err
	}
	_, _ = rand.Read(here.token[:]) // it never fails
	before, known := s.recall(&here)
	m, err := s.newMemory(&here, all, known)
	if err != nil {
		return err
	}
	if err := s.writeLink(&here); err != nil {
		return errors.Join(err, removeSegment(m.id))
	}
	if before >= 0 {
		_ = removeSegment(before) // nobody finds it any more
	}
	s.memory = m
	for _, w := range all {
		if w.out == 0 {
			s.marks[w.spi].kept = m.places[w]
		}
	}
	return nil
}

// newMemory makes memory that says what is known.
func (s *Store) newMemory(l *link, all []way, known map[way]uint64) (*memory, error) {
	id, b, err := newSegment(placeSize * (1 + len(all)))
	if err != nil {
		return nil, err
	}
	l.id = id
	h, places := layout(b)
	h.token, h.n = l.token, uint64(len(all))
	m := &memory{id, map[way]*place{}, map[uint32]bool{}}
	for i, w := range all {
		p := &places[i]
		p.spi, p.out, p.file = w.spi, w.out, s.fileOf(w)
		next, ok := known[w]
		if !ok {
			next = max(p.file, 1)
		}
		p.first, p.highest = next, next-1
		m.places[w] = p
	}
	return m, nil
}

// fileOf is what the file says of an SA.
func (s *Store) fileOf(w way) uint64 {
	if w.out != 0 {
		return s.next[w.spi]
	}
	if m := s.marks[w.spi]; m != nil {
		return m.lowest
	}
	return 0
}

// recall finds the memory of the process before, if it is of the same start of the system
// and the same store, and the numbers that follow its own. id is negative without one.
func (s *Store) recall(here *link) (id int, known map[way]uint64) {
	l, ok := s.readLink()
	if !ok || l.boot != here.boot || l.lock != here.lock {
		return -1, nil
	}
	b, err := attachSegment(l.id)
	if err != nil {
		return -1, nil
	}
	defer detachSegment(b)
	if len(b) < placeSize {
		return -1, nil
	}
	h, places := layout(b)
	if h.token != l.token || h.n != uint64(len(places)) {
		return -1, nil
	}
	known = map[way]uint64{}
	for i := range places {
		p := &places[i]
		w := way{p.spi, p.out}
		known[w] = p.next()
		if file := s.fileOf(w); file != p.file { // another process has used the SA since
			known[w] = max(known[w], file)
		}
	}
	return l.id, known
}

// Forget gives the memory back, when the file says all that it knows. It stays there for
// those who still have a place in it, until the process ends.
func (s *Store) Forget() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory == nil {
		return nil
	}
	m := s.memory
	s.memory = nil
	return errors.Join(os.Remove(s.path+linkFile), removeSegment(m.id))
}
