package seqstore_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
)

func open(t *testing.T, path string) *seqstore.Store {
	t.Helper()
	s, err := seqstore.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestNumbersOutliveTheProcess sees what is written before any number is used: a process
// that ends without a word must not leave its numbers to the next one.
func TestNumbersOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "next")
	first := open(t, path)
	if n := first.Next(0x1000); n != 1 {
		t.Errorf("a new SA starts at %d, want 1", n)
	}
	if err := first.Reserve(0x1000, 501); err != nil {
		t.Fatal(err)
	}
	if err := first.Settle(map[uint32]uint64{0x2000: 1 << 40, 0x3000: 7}); err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	second := open(t, path)
	for spi, want := range map[uint32]uint64{0x1000: 501, 0x2000: 1 << 40, 0x3000: 7, 0x4000: 1} {
		if n := second.Next(spi); n != want {
			t.Errorf("SPI %#x goes on at %d, want %d", spi, n, want)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("others may write the file: %v, %v", info.Mode(), err)
	}
}

func TestDamagedFileIsNotTakenForAnEmptyOne(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "cut": "0x00001000 5\n", "no number": "0x00001000\nend\n", "no SPI": "x 5\nend\n", "negative": "0x1000 -5\nend\n",
		"more behind": "end\n0x00001000 5\n", "text": "hello\n", "SPI too long": "0x123456789 5\nend\n", "empty line": "\nend\n",
	} {
		path := filepath.Join(t.TempDir(), "next")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := seqstore.Open(path); !errors.Is(err, seqstore.ErrDamaged) {
			t.Errorf("%s: %v, %v; want ErrDamaged", name, s, err)
		}
	}
}

func TestOneProcessAtATime(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no lock that ends with its process")
	}
	path := filepath.Join(t.TempDir(), "next")
	first := open(t, path)
	if _, err := seqstore.Open(path); !errors.Is(err, seqstore.ErrInUse) {
		t.Errorf("%v, want ErrInUse", err)
	}
	_ = first.Close()
	open(t, path)
}

// TestOneProcessAtATimeUsesKeys gives one file of keys, under two names, two stores.
func TestOneProcessAtATimeUsesKeys(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no lock that ends with its process")
	}
	dir := t.TempDir()
	keys, link := filepath.Join(dir, "sa"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(keys, nil, 0o400), os.Symlink(keys, link)); err != nil {
		t.Fatal(err)
	}
	first, err := seqstore.Open(filepath.Join(dir, "one"), keys)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := seqstore.Open(filepath.Join(dir, "two"), link); !errors.Is(err, seqstore.ErrInUse) {
		t.Errorf("%v, want ErrInUse", err)
	}
	_ = first.Close()
	second, err := seqstore.Open(filepath.Join(dir, "two"), link)
	if err != nil {
		t.Fatal(err)
	}
	_ = second.Close()
}

// TestNumbersEnd promises the last numbers that there are.
func TestNumbersEnd(t *testing.T) {
	s := seqstore.InMemory()
	supply := s.Supply(0x1000, math.MaxUint64-2)
	for range 3 {
		if err := supply.Take(); err != nil || s.Next(0x1000) != math.MaxUint64 {
			t.Errorf("the next gateway begins at %d, %v; want the end of all numbers", s.Next(0x1000), err)
		}
	}
}

func TestFailedReservationPromisesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, filepath.Join(dir, "next"))
	if err := os.RemoveAll(dir); err != nil {
		t.Skip("this system keeps a folder whose file is open: ", err)
	}
	if err := s.Reserve(0x1000, 100); err == nil {
		t.Error("numbers were promised that are nowhere written down")
	}
	if n := s.Next(0x1000); n != 1 {
		t.Errorf("the next number is %d, want 1", n)
	}
}
