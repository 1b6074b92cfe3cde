package seqstore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"os"
	"sync/atomic"
	"unsafe"
)

// What the file says of an SA is written ahead of the traffic, for nobody who moves packets
// waits for a disk. To know after a kill how far each SA was exactly, workers keep that in
// memory which outlives the process, though not the system: shared memory of System V. It
// is no file: nobody can cut it short under those who use it, no disk that is full or slow
// stops them, and it cannot be older than what happened, as a copy or a backup can.

// place is what the memory has of one SA. It has a cache line for itself, since the workers
// of two SAs may differ.
type place struct {
	highest uint64        // of an SA to receive through: the highest number accepted
	first   uint64        // of one to send through: the number that used begins at
	used    atomic.Uint64 // and how many were taken
	file    uint64        // what the file said when the process wrote it last
	spi     uint32
	out     uint32 // 1 for one to send through
	_       [24]byte
}

// header stands in front of the places.
type header struct {
	token [16]byte // that the link has: this is the memory, and no other with its number
	n     uint64   // how many places there are
	_     [40]byte
}

const placeSize = int(unsafe.Sizeof(place{})) // also of the header

// next is the first number that the SA has not used, or not accepted.
func (p *place) next() uint64 {
	if p.out == 0 {
		return Behind(p.highest)
	}
	return p.first + min(p.used.Load(), math.MaxUint64-p.first)
}

// way is an SA: those to send through and to receive through may have the same SPI.
type way struct {
	spi uint32
	out uint32
}

// memory is the places of a process.
type memory struct {
	id      int
	places  map[way]*place
	counted map[uint32]bool // by SPI: the SA counts there
}

// placeOf is the place of an SA, or nil.
func (m *memory) placeOf(w way) *place {
	if m == nil {
		return nil
	}
	return m.places[w]
}

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

// wrote says what the file says of an SA to send through from now on. Of one that does not
// count, the memory is not to be believed any more.
func (m *memory) wrote(spi uint32, number uint64) {
	if p := m.placeOf(way{spi, 1}); p != nil && m.counted[spi] {
		p.file = number
	}
}

// layout is memory as header and places.
func layout(b []byte) (*header, []place) {
	start := unsafe.Pointer(unsafe.SliceData(b))
	return (*header)(start), unsafe.Slice((*place)(unsafe.Add(start, placeSize)), len(b)/placeSize-1)
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

// Follow is the first number that an SA which begins at least at that one may accept, and
// where it is to keep the highest number that it has accepted, of a packet before anybody
// gets it. Without memory that is nil. Who has asked keeps it there.
func (m *Mark) Follow(least uint64) (first uint64, highest *uint64) {
	if m.kept == nil {
		return max(least, m.lowest), nil
	}
	m.followed = true
	first = max(least, m.kept.next())
	m.kept.highest = first - 1
	return first, &m.kept.highest
}

// Count is the first number that an SA which begins at least at that one may use, and where
// it is to count those that it takes, each before its packet is seen. Without memory that is
// nil. Who has asked counts there: a number that is not in it comes twice.
func (s *Store) Count(spi uint32, least uint64) (first uint64, used *atomic.Uint64) {
	first = max(least, s.Next(spi))
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.memory.placeOf(way{spi, 1})
	if p == nil {
		return first, nil
	}
	s.memory.counted[spi] = true
	first = max(least, p.next())
	p.first = first // a kill before the next line leaves numbers out
	p.used.Store(0)
	return first, &p.used
}
