package main

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// spin keeps a thread of this process at work, and counts its steps.
func spin(t *testing.T) *atomic.Uint64 {
	var steps atomic.Uint64
	var stop atomic.Bool
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		for !stop.Load() {
			steps.Add(1)
		}
		close(ended)
	}()
	t.Cleanup(func() {
		stop.Store(true)
		<-ended
	})
	return &steps
}

// TestWorkingThreadIsWatched in this process, beside others that do nothing.
func TestWorkingThreadIsWatched(t *testing.T) {
	steps := spin(t)
	count := func() (uint64, error) { return steps.Load(), nil }
	w, err := watch(os.Getpid(), count)
	if err != nil {
		t.Fatal(err)
	}
	cost, err := w.cost(watchWindows * watchApart)
	if err != nil || cost <= 0 || cost > 1e6 {
		t.Errorf("%v ns a step, %v", cost, err)
	}
	before, err := ran(w.pid, w.thread)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.await(before+20*time.Millisecond, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if after, err := ran(w.pid, w.thread); err != nil || after < before+20*time.Millisecond {
		t.Errorf("%v, then %v, %v", before, after, err)
	}
}

func TestBusiestThread(t *testing.T) {
	before := map[string]time.Duration{"1": time.Hour, "2": time.Second}
	now := map[string]time.Duration{"1": time.Hour + 2, "2": time.Second + 4, "3": 3}
	if thread, took := busiest(before, now); thread != "2" || took != 4 {
		t.Errorf("%s, %v", thread, took)
	}
}

func TestNobodyToWatch(t *testing.T) {
	if _, err := ran(1<<30, "1"); err == nil {
		t.Error("a process that is not there has run")
	}
	if _, err := watch(1<<30, nil); err == nil {
		t.Error("a process that is not there is watched")
	}
}

// TestCostIsOfCountedWork: the median of windows, of which those do not count in which the
// program did next to nothing.
func TestCostIsOfCountedWork(t *testing.T) {
	spin(t)
	asked := uint64(0)
	w, err := watch(os.Getpid(), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.count = func() (uint64, error) {
		asked++
		return asked / 2 * 1e6, nil // every second window has nothing new
	}
	if cost, err := w.cost(watchWindows * watchApart); err != nil || cost <= 0 {
		t.Errorf("%v ns, %v", cost, err)
	}
	if asked != 2*watchWindows {
		t.Errorf("asked %d times", asked)
	}
}

// TestProgramThatEnds says why, and one that carries nothing is not waited for without end.
func TestProgramThatEnds(t *testing.T) {
	nothing := func() (uint64, error) { return 0, errors.New("nobody answers") }
	_, err := watchFor(time.Second, exec.Command("sh", "-c", "echo no such device >&2; exit 3"), nothing)
	if err == nil || !strings.Contains(err.Error(), "no such device") || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("%v", err)
	}
	if _, err := watchFor(time.Second, exec.Command("/nowhere"), nothing); err == nil {
		t.Error("a program that is not there was watched")
	}
}

// TestProgramIsWatched: a shell that does nothing but work.
func TestProgramIsWatched(t *testing.T) {
	asked := uint64(0)
	count := func() (uint64, error) {
		asked++
		return asked * leastPackets, nil
	}
	cost, err := watchFor(watchWindows*watchApart, exec.Command("sh", "-c", "while :; do :; done"), count)
	if err != nil || cost < float64(watchApart)/leastPackets/2 {
		t.Errorf("%v ns, %v", cost, err)
	}
}
