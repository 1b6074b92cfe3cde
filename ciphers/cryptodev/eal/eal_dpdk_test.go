//go:build dpdk && cgo

package eal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// child runs this test alone in a process of its own, since DPDK starts once in
// each, and reports that this is that process.
func child(t *testing.T) bool {
	t.Helper()
	const mark = "SEALBURST_EAL_CHILD"
	if os.Getenv(mark) == t.Name() {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), mark+"="+t.Name())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	return false
}

func TestStart(t *testing.T) {
	if !child(t) {
		return
	}
	before := affinity(t)
	if _, err := Current(); !errors.Is(err, ErrNotStarted) {
		t.Errorf("before the start: %v", err)
	}
	if err := Start([]string{"--no-huge"}); err != nil {
		t.Fatal(err)
	}
	r, err := Current()
	if err != nil || r.HugePages || !strings.HasPrefix(r.Version, "DPDK ") || !strings.Contains(r.String(), "no hugepages, --no-huge") {
		t.Errorf("%v, %v", r, err)
	}
	for range 100 {
		if now := affinity(t); now != before {
			t.Fatalf("a thread may run on %v, and could on %v before", now, before)
		}
		runtime.Gosched()
	}
}

// TestStartChoosesMemory is what a start without arguments does here.
func TestStartChoosesMemory(t *testing.T) {
	if !child(t) {
		return
	}
	want := FreeHugePages() >= enough
	if err := Start(nil); err != nil {
		t.Fatal(err)
	}
	if r, err := Current(); err != nil || r.HugePages != want {
		t.Errorf("%v, %v; want hugepages %v", r, err, want)
	}
}

func affinity(t *testing.T) (set unix.CPUSet) {
	t.Helper()
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		t.Fatal(err)
	}
	return set
}

func TestStartTwice(t *testing.T) {
	if !child(t) {
		return
	}
	args := []string{"--no-huge", "--vdev=crypto_null0"}
	for range 2 {
		if err := Start(args); err != nil {
			t.Fatal(err)
		}
	}
	if err := Start(nil); err != nil {
		t.Errorf("without arguments: %v", err)
	}
	if err := Start([]string{"--no-huge"}); !errors.Is(err, ErrStarted) || !strings.Contains(fmt.Sprint(err), "crypto_null0") {
		t.Errorf("with others: %v", err)
	}
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	if !child(t) {
		return
	}
	err := Start([]string{"--no-huge", "--vdev=crypto_nonsense0"})
	var start *StartError
	if !errors.As(err, &start) || !strings.Contains(err.Error(), "crypto_nonsense0") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%v", err)
	}
	if again := Start([]string{"--no-huge"}); again != err {
		t.Errorf("again: %v", again)
	}
	if _, now := Current(); now != err {
		t.Errorf("Current: %v", now)
	}
	if err := Plug("crypto_null0"); err == nil {
		t.Error("plugged into nothing")
	}
}

func TestPlug(t *testing.T) {
	if !child(t) {
		return
	}
	if err := Plug("crypto_null0"); !errors.Is(err, ErrNotStarted) {
		t.Errorf("before the start: %v", err)
	}
	if err := Start([]string{"--no-huge"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Plug("crypto_null0,max_nb_queue_pairs=2"); err != nil {
			t.Error(err)
		}
	}
	var device *DeviceError
	if err := Plug("crypto_nonsense0"); !errors.As(err, &device) || device.Device != "crypto_nonsense0" {
		t.Errorf("a device that is none: %v", err)
	}
	if err := Unplug("crypto_null0"); err != nil {
		t.Error(err)
	}
	if err := Unplug("crypto_null0"); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENODEV) && !errors.Is(err, syscall.ENOENT) {
		t.Errorf("twice: %v", err)
	}
}

func TestRegister(t *testing.T) {
	if !child(t) {
		return
	}
	if err := Start([]string{"--no-huge"}); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 300 { // more than there may be at once
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			err := Register()
			if err == nil {
				Unregister()
			}
			done <- err
		}()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
}
