package seqstore

import (
	"math"
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
