package seqstore_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
)

// The environment variables that make this program a process to be killed.
const (
	storeOfChild  = "SEQSTORE_TEST_CHILD"
	memoryOfChild = "SEQSTORE_TEST_MEMORY"
)

// TestMain runs the tests, or the process that they kill.
func TestMain(m *testing.M) {
	if path := os.Getenv(storeOfChild); path != "" {
		fmt.Println(useUp(path))
		return
	}
	if path := os.Getenv(memoryOfChild); path != "" {
		fmt.Println(countUp(path))
		return
	}
	os.Exit(m.Run())
}

// useUp promises numbers as fast as it can, and prints the first of each promise.
func useUp(path string) error {
	s, err := seqstore.Open(path)
	if err != nil {
		return err
	}
	for {
		next := s.Next(0x1000)
		if err := s.Reserve(0x1000, next+1); err != nil {
			return err
		}
		fmt.Println(next)
	}
}

// killed runs this program with a variable of the environment, kills it so long after its
// first line, and returns what it printed.
func killed(t *testing.T, variable string, after time.Duration) (printed []string) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), variable)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if printed == nil {
			time.AfterFunc(after, func() { _ = child.Process.Kill() })
		}
		printed = append(printed, lines.Text())
	}
	_ = child.Wait()
	return printed
}

// TestKilledProcessesShareNoNumber kills one process after another while it writes.
func TestKilledProcessesShareNoNumber(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]bool{}
	for i := range 8 {
		for _, number := range killed(t, storeOfChild+"="+filepath.Join(dir, "next"), time.Duration(i)*time.Millisecond) {
			if seen[number] {
				t.Fatalf("number %s is promised twice", number)
			}
			seen[number] = true
		}
	}
	if len(seen) < 8 {
		t.Errorf("%d numbers were promised", len(seen))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 3 {
		t.Errorf("%d files are left, %v: %v", len(left), err, left)
	}
}

// countUp uses numbers as fast as it can, of both directions in turn, and prints each.
func countUp(path string) error {
	s, err := seqstore.Open(path)
	if err != nil {
		return err
	}
	if err := s.Share([]uint32{0x1000}, []uint32{0x2000}); err != nil {
		return err
	}
	m, err := s.Mark(0x1000)
	if err != nil {
		return err
	}
	_, highest := m.Follow(0)
	first, used := s.Count(0x2000, 0)
	if err := errors.Join(m.Put(1<<40), s.Reserve(0x2000, 1<<40)); err != nil {
		return err
	}
	for {
		*highest++
		fmt.Println("in", *highest)
		fmt.Println("out", first+used.Add(1)-1)
	}
}

// TestKilledProcessesLeaveTheirNumbers kills one process after another while it counts. The
// next one goes on where that was: no number comes twice, and one at most is left out.
func TestKilledProcessesLeaveTheirNumbers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no memory outlives a process on this system")
	}
	path := filepath.Join(t.TempDir(), "next")
	last, left := map[string]uint64{}, 0
	for i := range 8 {
		lines := killed(t, memoryOfChild+"="+path, time.Duration(i)*time.Millisecond)
		for _, line := range lines {
			var way string
			var number uint64
			if _, err := fmt.Sscan(line, &way, &number); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if number <= last[way] || number > last[way]+2 {
				t.Fatalf("run %d: %s %d after %d", i, way, number, last[way])
			}
			left += int(number - last[way] - 1)
			last[way] = number
		}
	}
	if last["in"] < 8 || left > 2*8 {
		t.Errorf("%v are the last numbers, %d were left out", last, left)
	}
	s, err := seqstore.Open(path)
	if err == nil {
		err = errors.Join(s.Share(nil, nil), s.Forget(), s.Close())
	}
	if err != nil {
		t.Error(err)
	}
}
