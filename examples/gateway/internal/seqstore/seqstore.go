// Package seqstore remembers on disk which sequence numbers keys made by hand have used.
// Such keys outlive the process, and a number that comes twice under one key gives an
// AEAD's plaintext away: RFC 4106 section 2 asks for automatic key management for that
// reason. So a range of numbers is written down as used before the first of them is.
// Numbers that were received are written down as they come.
package seqstore

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ErrDamaged says that a file is none of a store's. To start anew without it would use
// numbers twice.
var ErrDamaged = errors.New("not a file of sequence numbers")

// ErrInUse says that another process has the store open.
var ErrInUse = errors.New("in use by another gateway")

// Store is one file. A lock beside it keeps other processes off.
type Store struct {
	path  string
	locks []*os.File

	mu     sync.Mutex
	next   map[uint32]uint64 // by SPI: the first number that was never promised to anybody
	memory *memory           // nil without

	marks    map[uint32]*Mark // by SPI of SAs to receive through; nil until one is asked for
	markFile *os.File
}

// Open opens the store of that name, which is empty if there is no such file, and locks
// the files with the keys, so that no process that has another store uses them; a pipe has
// one reader anyway. It returns an ErrInUse, and an ErrDamaged for a file that it does not
// understand.
func Open(path string, keys ...string) (*Store, error) {
	s := &Store{path: path, next: map[uint32]uint64{}}
	err := s.acquire(path+".lock", os.O_RDWR|os.O_CREATE)
	for _, file := range keys {
		if info, missing := os.Stat(file); err == nil && (missing != nil || info.Mode().IsRegular()) {
			err = s.acquire(file, os.O_RDONLY)
		}
	}
	if err == nil {
		err = s.read()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), s.Close())
	}
	return s, nil
}

// acquire opens a file and locks it until Close.
func (s *Store) acquire(path string, flags int) error {
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	s.locks = append(s.locks, f)
	return lock(f)
}

// InMemory is a store for keys that end with the process.
func InMemory() *Store { return &Store{next: map[uint32]uint64{}} }

func (s *Store) read() error {
	f, err := os.Open(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return s.parse(f)
}

// parse reads lines of a SPI and a number, and the word that ends the file.
func (s *Store) parse(from io.Reader) error {
	lines, ended := bufio.NewScanner(from), false
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		switch {
		case ended, len(fields) == 0:
			return ErrDamaged
		case len(fields) == 1 && fields[0] == ending:
			ended = true
		default:
			if err := s.parseLine(fields); err != nil {
				return err
			}
		}
	}
	if !ended {
		return ErrDamaged
	}
	return lines.Err()
}

const ending = "end"

func (s *Store) parseLine(fields []string) error {
	if len(fields) != 2 {
		return ErrDamaged
	}
	spi, err := strconv.ParseUint(fields[0], 0, 32)
	if err != nil {
		return ErrDamaged
	}
	next, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return ErrDamaged
	}
	s.next[uint32(spi)] = next
	return nil
}

// Next is the first number that an SA may use: 1 for one that the store does not know.
func (s *Store) Next(spi uint32) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.next[spi], 1)
}

// Reserve writes down that the SA may use the numbers below next from now on. It fails
// without having promised anything.
func (s *Store) Reserve(spi uint32, next uint64) error { return s.Settle(map[uint32]uint64{spi: next}) }

// Settle writes down, for several SAs at once, the first number that each has not used.
func (s *Store) Settle(next map[uint32]uint64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := maps.Clone(s.next)
	maps.Copy(s.next, next)
	if s.path == "" {
		return nil
	}
	if err := s.write(); err != nil {
		s.next = before
		return fmt.Errorf("%s: %w", s.path, err)
	}
	for spi, number := range next {
		s.memory.wrote(spi, number)
	}
	return nil
}

// write replaces the file in one step, so that there is always a whole one. The lock makes
// the new one's name the store's own: a process that is killed leaves one at most.
func (s *Store) write() error {
	f, err := os.OpenFile(s.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // nothing is there once it was renamed
	w := bufio.NewWriter(f)
	for _, spi := range slices.Sorted(maps.Keys(s.next)) {
		fmt.Fprintf(w, "%#08x %d\n", spi, s.next[spi])
	}
	fmt.Fprintln(w, ending)
	if err := errors.Join(w.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), s.path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(s.path))
}

// Close lets other processes have the store and the keys.
func (s *Store) Close() (err error) {
	if s.markFile != nil {
		err = errors.Join(s.Sync(), s.markFile.Close())
	}
	for _, f := range s.locks {
		err = errors.Join(err, f.Close())
	}
	return err
}
