package seqstore_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"golang.org/x/sys/unix"
)

// The SAs of these tests. A third and a fourth one may be there as well.
const (
	spiIn  = 0x1000
	spiOut = 0x1000 // the directions have SPIs of their own
)

// What the last process did in these tests, and what it wrote down ahead.
const (
	accepted = 1000
	foreseen = 5000
	sent     = 300
	promised = 9000
)

func share(t *testing.T, path string) *seqstore.Store {
	t.Helper()
	s := open(t, path)
	if err := s.Share([]uint32{0x3000, spiIn}, []uint32{spiOut, 0x4000}); err != nil {
		t.Fatal(err)
	}
	_, id := readLink(t, path)
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	return s
}

// leave makes what a process leaves that was killed: nobody forgets its memory.
func leave(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "next")
	s := share(t, path)
	_, used := s.Count(spiOut, 0)
	if err := s.Reserve(spiOut, promised); err != nil {
		t.Fatal(err)
	}
	m := mark(t, s, spiIn)
	_, highest := m.Follow(0)
	if err := m.Put(foreseen); err != nil {
		t.Fatal(err)
	}
	*highest = accepted
	used.Add(sent)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantNext looks at what the store knows of both SAs.
func wantNext(t *testing.T, s *seqstore.Store, in, out uint64) {
	t.Helper()
	if got, _ := mark(t, s, spiIn).Follow(0); got != in {
		t.Errorf("accepts numbers from %d, want %d", got, in)
	}
	if got, _ := s.Count(spiOut, 0); got != out {
		t.Errorf("sends numbers from %d, want %d", got, out)
	}
}

func readLink(t *testing.T, path string) (text []byte, id int) {
	t.Helper()
	text, err := os.ReadFile(path + ".memory")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = fmt.Sscanf(string(text), "boot %s memory %d", new(string), &id); err != nil {
		t.Fatal(err)
	}
	return text, id
}

func writeLink(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path+".memory", text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// memoryOf is the memory that a link leads to.
func memoryOf(t *testing.T, id int) []byte {
	t.Helper()
	b, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.SysvShmDetach(b) })
	return b
}

// TestMemoryOutlivesTheProcess again and again, without anything being written to the files.
func TestMemoryOutlivesTheProcess(t *testing.T) {
	path := leave(t)
	in, out := uint64(accepted+1), uint64(sent+1)
	for range 3 {
		s := share(t, path)
		wantNext(t, s, in, out)
		if got := mark(t, s, spiIn).Lowest(); got != foreseen {
			t.Errorf("the file has %d, want %d", got, foreseen)
		}
		_, highest := mark(t, s, spiIn).Follow(0)
		_, used := s.Count(spiOut, 0)
		*highest += 5
		used.Add(7)
		in, out = in+5, out+7
		_ = s.Close()
	}
	s := open(t, path)
	wantNext(t, s, foreseen, promised) // of who has no memory
}

// TestFirstOfTheFileCounts: numbers that an SA leaves out by itself are not used again.
func TestFirstOfTheFileCounts(t *testing.T) {
	path := leave(t)
	s := share(t, path)
	if _, used := s.Count(spiOut, 2000); used != nil {
		used.Add(3)
	}
	if first, highest := mark(t, s, spiIn).Follow(3000); first != 3000 || *highest != 2999 {
		t.Errorf("accepts numbers from %d after %d", first, *highest)
	}
	_ = s.Close()
	wantNext(t, share(t, path), 3000, 2003)
}

// TestMemoryThatIsNotBelieved leaves what the files say.
func TestMemoryThatIsNotBelieved(t *testing.T) {
	replaced := func(old, by string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			text, _ := readLink(t, path)
			made := strings.Replace(string(text), old, by, 1)
			if made == string(text) {
				t.Fatalf("no %q in %q", old, text)
			}
			writeLink(t, path, []byte(made))
		}
	}
	written := func(at int, change byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			_, id := readLink(t, path)
			memoryOf(t, id)[at] ^= change
		}
	}
	for name, spoil := range map[string]func(t *testing.T, path string){
		"another start of the system": replaced("boot ", "boot 0"),
		"another lock":                replaced("lock ", "lock 1"),
		"no link":                     func(t *testing.T, path string) { _ = os.Remove(path + ".memory") },
		"empty link":                  func(t *testing.T, path string) { writeLink(t, path, nil) },
		"long link":                   func(t *testing.T, path string) { writeLink(t, path, bytes.Repeat([]byte("boot "), 1<<16)) },
		"memory is gone": func(t *testing.T, path string) {
			_, id := readLink(t, path)
			_, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		},
		"foreign memory":      func(t *testing.T, path string) { leadTo(t, path, 5*64) },
		"too little memory":   func(t *testing.T, path string) { leadTo(t, path, 1) },
		"odd memory":          func(t *testing.T, path string) { leadTo(t, path, 65) },
		"another token":       written(3, 1),
		"more places":         written(16, 1),
		"far too many places": written(23, 0x80),
	} {
		t.Run(name, func(t *testing.T) {
			path := leave(t)
			spoil(t, path)
			wantNext(t, share(t, path), foreseen, promised)
		})
	}
}

// leadTo gives a link memory that another program made.
func leadTo(t *testing.T, path string, size int) {
	t.Helper()
	made, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, unix.IPC_CREAT|0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := unix.SysvShmCtl(made, unix.IPC_RMID, nil); err != nil {
			t.Errorf("the store took away what is not its own: %v", err)
		}
	})
	text, id := readLink(t, path)
	writeLink(t, path, bytes.Replace(text, fmt.Appendf(nil, "memory %d ", id), fmt.Appendf(nil, "memory %d ", made), 1))
}

// TestDamagedLinkIsNoLink, wherever it is cut or changed.
func TestDamagedLinkIsNoLink(t *testing.T) {
	path := leave(t)
	text, _ := readLink(t, path)
	all := [][]byte{append(bytes.Clone(text), '\n'), append(bytes.Clone(text), text...)}
	for i := range text {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		all = append(all, text[:i], changed)
	}
	for _, damaged := range all {
		writeLink(t, path, damaged)
		s := share(t, path)
		wantNext(t, s, foreseen, promised)
		_ = s.Close()
	}
	writeLink(t, path, text)
	wantNext(t, share(t, path), accepted+1, sent+1)
}

// TestMemoryIsOfOneStore: what is copied with all its files has a lock of its own.
func TestMemoryIsOfOneStore(t *testing.T) {
	path := leave(t)
	there := filepath.Join(t.TempDir(), "next")
	for _, file := range []string{"", ".received", ".memory", ".lock"} {
		content, err := os.ReadFile(path + file)
		if err == nil {
			err = os.WriteFile(there+file, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wantNext(t, share(t, there), foreseen, promised)
	wantNext(t, share(t, path), accepted+1, sent+1)
}

// TestOthersUsedTheSAs since, without memory: what they wrote down counts.
func TestOthersUsedTheSAs(t *testing.T) {
	path := leave(t)
	s := open(t, path)
	write(t, s, foreseen+1, promised+1)
	_ = s.Close()
	wantNext(t, share(t, path), foreseen+1, promised+1)
}

// write has the files say how far both SAs are.
func write(t *testing.T, s *seqstore.Store, in, out uint64) {
	t.Helper()
	if err := mark(t, s, spiIn).Put(in); err != nil {
		t.Fatal(err)
	}
	if err := s.Reserve(spiOut, out); err != nil {
		t.Fatal(err)
	}
}

// TestNobodyKeptCount: where the SAs have not used the memory, it is not believed.
func TestNobodyKeptCount(t *testing.T) {
	path := leave(t)
	s := share(t, path)
	if next := s.Next(spiOut); next != promised {
		t.Errorf("who does not count begins at %d, want %d", next, promised)
	}
	write(t, s, foreseen+1, promised+1)
	_ = s.Close()
	wantNext(t, share(t, path), foreseen+1, promised+1)
}

// TestLaterNumbersInMemoryCount also where the files have been changed.
func TestLaterNumbersInMemoryCount(t *testing.T) {
	path := leave(t)
	s := open(t, path)
	write(t, s, 7, 8)
	_ = s.Close()
	wantNext(t, share(t, path), accepted+1, sent+1)
}

// TestSAsComeAndGo: one that was left out meanwhile goes on where the files say.
func TestSAsComeAndGo(t *testing.T) {
	path := leave(t)
	s := open(t, path)
	if err := s.Share([]uint32{0x5000}, []uint32{0x6000}); err != nil {
		t.Fatal(err)
	}
	_, id := readLink(t, path)
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	in, _ := mark(t, s, 0x5000).Follow(0)
	out, _ := s.Count(0x6000, 0)
	if in != 1 || out != 1 {
		t.Errorf("new SAs begin at %d and %d", in, out)
	}
	if _, highest := mark(t, s, spiIn).Follow(0); highest != nil {
		t.Error("an SA without memory has a place in it")
	}
	if _, used := s.Count(spiOut, 0); used != nil {
		t.Error("an SA without memory has a place in it")
	}
	_ = s.Close()
	wantNext(t, share(t, path), foreseen, promised)
}

// TestWithoutMemory all is as before, also what an earlier process left there.
func TestWithoutMemory(t *testing.T) {
	path := leave(t)
	if err := os.MkdirAll(path+".memory.new/full", 0o700); err != nil { // so that no link can be made
		t.Fatal(err)
	}
	s := open(t, path)
	if err := s.Share([]uint32{spiIn}, []uint32{spiOut}); err == nil {
		t.Error("a link was written")
	}
	wantNext(t, s, foreseen, promised)
	_, highest := mark(t, s, spiIn).Follow(0)
	if _, used := s.Count(spiOut, 0); used != nil || highest != nil || s.Forget() != nil {
		t.Error("there is memory")
	}
	if err := seqstore.InMemory().Share([]uint32{spiIn}, []uint32{spiOut}); err != nil {
		t.Error(err)
	}
}

// TestForgottenMemory leaves nothing behind, and is there for who still writes to it.
func TestForgottenMemory(t *testing.T) {
	path := leave(t)
	_, before := readLink(t, path)
	s := share(t, path)
	_, id := readLink(t, path)
	_, place := mark(t, s, spiIn).Follow(0)
	var about unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &about); err != nil || about.Perm.Mode&0o777 != 0o600 {
		t.Errorf("others may have the memory: %o, %v", about.Perm.Mode, err)
	}
	if info, err := os.Stat(path + ".memory"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the link: %v, %v", info.Mode(), err)
	}
	if err := s.Forget(); err != nil {
		t.Fatal(err)
	}
	*place = 1 << 40
	for _, id := range []int{before, id} {
		if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &about); err == nil && about.Perm.Mode&0o1000 == 0 {
			t.Errorf("memory %d is still there", id)
		}
	}
	if left, err := filepath.Glob(path + ".memory*"); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}
