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

func mark(t *testing.T, s *seqstore.Store, spi uint32) *seqstore.Mark {
	t.Helper()
	m, err := s.Mark(spi)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMarksOutliveTheProcess however it ends, and are not those of an SA to send through.
func TestMarksOutliveTheProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "next")
	first := open(t, path)
	if err := first.Reserve(0x1000, 501); err != nil {
		t.Fatal(err)
	}
	want := map[uint32]uint64{0x1000: 7, 0x2000: math.MaxUint64, 0xffffffff: 1 << 33, 0x3000: 1}
	for spi, number := range want {
		if m := mark(t, first, spi); m.Lowest() != 1 {
			t.Errorf("a new SA accepts numbers from %d, want 1", m.Lowest())
		} else if err := errors.Join(m.Put(1<<40), m.Put(number)); err != nil {
			t.Fatal(err)
		}
	}
	copied := filepath.Join(t.TempDir(), "next") // as it is at the moment that the process is killed
	content, err := os.ReadFile(path + ".received")
	if err == nil {
		err = os.WriteFile(copied+".received", content, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	for _, path := range []string{path, copied} {
		s := open(t, path)
		for spi, number := range want {
			if got := mark(t, s, spi).Lowest(); got != number {
				t.Errorf("SPI %#x accepts numbers from %d, want %d", spi, got, number)
			}
		}
		if got := mark(t, s, 0x4000).Lowest(); got != 1 {
			t.Errorf("a new SA accepts numbers from %d, want 1", got)
		}
	}
	if info, err := os.Stat(path + ".received"); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("others may write the file: %v, %v", info.Mode(), err)
	}
}

func TestDamagedMarksAreNotTakenForNone(t *testing.T) {
	const good = "0x00001000 00000000000000000005\n"
	for name, content := range map[string]string{
		"cut": good[:31], "cut behind one": good + good[:5], "twice": good + good, "text": "hello, this is no file of marks!",
		"no end of line": good[:31] + " ", "no number": "0x00001000 0000000000000000000x\n", "too large": "0x00001000 99999999999999999999\n",
		"zero": "0x00001000 00000000000000000000\n",
	} {
		path := filepath.Join(t.TempDir(), "next")
		if err := os.WriteFile(path+".received", []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		for range 2 {
			if m, err := s.Mark(0x1000); !errors.Is(err, seqstore.ErrDamaged) {
				t.Errorf("%s: %v, %v; want ErrDamaged", name, m, err)
			}
		}
	}
}

func TestMarksInMemory(t *testing.T) {
	s := seqstore.InMemory()
	if err := errors.Join(mark(t, s, 1).Put(5), s.Sync(), s.Close()); err != nil || mark(t, s, 1).Lowest() != 5 || mark(t, s, 2).Lowest() != 1 {
		t.Errorf("%d, %v", mark(t, s, 1).Lowest(), err)
	}
	if seqstore.Behind(1) != 2 || seqstore.Behind(math.MaxUint64) != math.MaxUint64 {
		t.Error("numbers wrap")
	}
}
