package seqstore_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
)

// storeOfChild is the environment variable that makes this program a process to be killed.
const storeOfChild = "SEQSTORE_TEST_CHILD"

// TestMain runs the tests, or the process that they kill.
func TestMain(m *testing.M) {
	if path := os.Getenv(storeOfChild); path != "" {
		fmt.Println(useUp(path))
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

// TestKilledProcessesShareNoNumber kills one process after another while it writes.
func TestKilledProcessesShareNoNumber(t *testing.T) {
	dir := t.TempDir()
	seen := map[string]bool{}
	for i := range 8 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), storeOfChild+"="+filepath.Join(dir, "next"))
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			if n == 0 {
				time.AfterFunc(time.Duration(i)*time.Millisecond, func() { _ = child.Process.Kill() })
			}
			if seen[lines.Text()] {
				t.Fatalf("number %s is promised twice", lines.Text())
			}
			seen[lines.Text()] = true
		}
		_ = child.Wait()
	}
	if len(seen) < 8 {
		t.Errorf("%d numbers were promised", len(seen))
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 3 {
		t.Errorf("%d files are left, %v: %v", len(left), err, left)
	}
}
