package seqstore

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
)

// Mark is how far one SA has received: a packet whose number nobody remembers could be sent
// once more by whoever recorded it. One goroutine uses it.
type Mark struct {
	lowest   uint64
	file     *os.File // nil in memory
	at       int64    // where the number stands in it
	kept     *place   // in memory that outlives the process; nil without
	followed bool     // what the SA accepts is kept there
}

// Marks stand in a file of their own, beside the store's, in lines of one length, so that
// one is put down by writing over its number. The system keeps that for a process that is
// killed, and brings it to the disk in its own time, so that nobody who moves packets waits
// for that: a system that loses its power forgets what came in the last half minute or so,
// unless somebody calls Sync.
const (
	markFile  = ".received"
	markLine  = "0x%08x %020d\n"
	lineSize  = 32
	numberAt  = 11
	numberEnd = 31
)

// Mark finds the mark of an SA to receive through, or makes it. It returns an ErrDamaged
// for a file that it does not understand.
func (s *Store) Mark(spi uint32) (*Mark, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.marks == nil {
		if err := s.readMarks(); err != nil {
			s.marks = nil
			return nil, fmt.Errorf("%s%s: %w", s.path, markFile, err)
		}
	}
	m := s.marks[spi]
	if m == nil {
		m = &Mark{lowest: 1, file: s.markFile, at: int64(len(s.marks))*lineSize + numberAt}
		if err := m.begin(spi); err != nil {
			return nil, err
		}
		s.marks[spi] = m
	}
	return m, nil
}

// begin writes the mark's line.
func (m *Mark) begin(spi uint32) error {
	if m.file == nil {
		return nil
	}
	_, err := m.file.WriteAt(fmt.Appendf(nil, markLine, spi, m.lowest), m.at-numberAt)
	return err
}

func (s *Store) readMarks() error {
	s.marks = map[uint32]*Mark{}
	if s.path == "" {
		return nil
	}
	content, err := os.ReadFile(s.path + markFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s.markFile != nil { // a first attempt failed
		_ = s.markFile.Close()
	}
	if s.markFile, err = os.OpenFile(s.path+markFile, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	for at := 0; at < len(content); at += lineSize {
		if err := s.readMark(string(content[at:min(at+lineSize, len(content))]), int64(at)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) readMark(line string, at int64) error {
	if len(line) != lineSize {
		return ErrDamaged
	}
	spi, err := strconv.ParseUint(line[:numberAt-1], 0, 32)
	if err != nil {
		return ErrDamaged
	}
	lowest, err := strconv.ParseUint(strings.TrimLeft(line[numberAt:numberEnd], "0"), 10, 64)
	if err != nil || s.marks[uint32(spi)] != nil || line != fmt.Sprintf(markLine, spi, lowest) {
		return ErrDamaged
	}
	s.marks[uint32(spi)] = &Mark{lowest: lowest, file: s.markFile, at: at + numberAt}
	return nil
}

// Lowest is the first number that the SA may accept, as the file says. Follow may know better.
func (m *Mark) Lowest() uint64 { return m.lowest }

// Put says that every number below lowest may have been accepted. A gateway that takes over
// from a process that is killed knows that from now on.
func (m *Mark) Put(lowest uint64) error {
	if m.file != nil {
		var digits [numberEnd - numberAt]byte
		for i, rest := len(digits)-1, lowest; i >= 0; i-- {
			digits[i], rest = '0'+byte(rest%10), rest/10
		}
		if _, err := m.file.WriteAt(digits[:], m.at); err != nil {
			return err
		}
	}
	m.lowest = lowest
	if m.followed {
		m.kept.file = lowest
	}
	return nil
}

// Behind is the number behind one, or the last of all.
func Behind(number uint64) uint64 { return number + min(1, math.MaxUint64-number) }

// Sync waits until the marks are on the disk.
func (s *Store) Sync() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.markFile == nil {
		return nil
	}
	return s.markFile.Sync()
}
