package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watched is a program that carries packets, and tells while it runs how many it has. What it
// takes is the processor time of the thread that carries them, between two moments: so
// neither its start nor who asks it counts.
type watched struct {
	pid    int
	thread string
	count  func() (uint64, error)
}

const (
	watchWindows  = 3 // a measurement has, of which the median counts
	watchApart    = 50 * time.Millisecond
	watchPatience = 30 * time.Second // for one of them, on a busy machine
	blurred       = 0.05             // the part of a window for which its ends are uncertain, at most
	leastPackets  = 1000             // of a window
	endPatience   = 10 * time.Second // with a program that was asked to end
)

// ran is the processor time of a thread.
func ran(pid int, thread string) (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "task", thread, "schedstat"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text), " ")
	ns, err := strconv.ParseInt(first, 10, 64)
	return time.Duration(ns), err
}

// watch finds the thread that works, of a program that carries packets by now.
func watch(pid int, count func() (uint64, error)) (*watched, error) {
	before, err := threads(pid)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(watchPatience); time.Now().Before(end); {
		time.Sleep(watchApart)
		now, err := threads(pid)
		if err != nil {
			return nil, err
		}
		if thread, took := busiest(before, now); took >= watchApart/2 {
			return &watched{pid, thread, count}, nil
		}
	}
	return nil, fmt.Errorf("%w: no thread works", errNoMore)
}

// busiest is the thread that has worked most between two moments.
func busiest(before, now map[string]time.Duration) (thread string, most time.Duration) {
	for each, took := range now {
		if took -= before[each]; took > most {
			thread, most = each, took
		}
	}
	return thread, most
}

// threads are a process's, with their processor time.
func threads(pid int) (map[string]time.Duration, error) {
	all, err := os.ReadDir(filepath.Join("/proc", strconv.Itoa(pid), "task"))
	if err != nil {
		return nil, err
	}
	took := map[string]time.Duration{}
	for _, thread := range all {
		if time, err := ran(pid, thread.Name()); err == nil { // else it has ended
			took[thread.Name()] = time
		}
	}
	return took, nil
}

// look asks what the program has done and what that took, which is certain to blur.
func (w *watched) look() (u usage, blur time.Duration, err error) {
	before, err := ran(w.pid, w.thread)
	if err != nil {
		return u, 0, err
	}
	n, err := w.count()
	if err != nil {
		return u, 0, err
	}
	after, err := ran(w.pid, w.thread)
	return usage{n, before + (after-before)/2}, after - before, err
}

// cost is what a packet takes in nanoseconds, measured in d of the thread's processor time.
func (w *watched) cost(d time.Duration) (float64, error) {
	window := max(d/watchWindows, watchApart)
	last, _, err := w.look()
	var costs []float64
	for end := time.Now().Add(watchPatience + d); err == nil && len(costs) < watchWindows; {
		if time.Now().After(end) {
			return 0, fmt.Errorf("%w: the machine is too busy", errNoMore)
		}
		if err := w.await(last.took+window, end); err != nil {
			return 0, err
		}
		now, blur, err := w.look()
		if err != nil {
			return 0, err
		}
		if float64(blur) < blurred*float64(window) && now.packets >= last.packets+leastPackets {
			costs = append(costs, float64(now.took-last.took)/float64(now.packets-last.packets))
		}
		last = now
	}
	return median(costs), err
}

// await waits until the thread has worked for so long, or end.
func (w *watched) await(until time.Duration, end time.Time) error {
	for time.Now().Before(end) {
		took, err := ran(w.pid, w.thread)
		if err != nil || took >= until {
			return err
		}
		time.Sleep(max(until-took, time.Millisecond))
	}
	return nil
}

// running is a program with what it said of its faults.
type running struct {
	*exec.Cmd
	said  bytes.Buffer
	ended chan struct{} // closed once err is how
	err   error
}

func start(cmd *exec.Cmd) (*running, error) {
	r := &running{Cmd: cmd, ended: make(chan struct{})}
	cmd.Stderr = &r.said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		r.err = cmd.Wait()
		close(r.ended)
	}()
	return r, nil
}

// carries waits until the program has carried packets.
func (r *running) carries(count func() (uint64, error)) error {
	var why error
	for range watchPatience / watchApart {
		select {
		case <-r.ended:
			return errors.Join(fmt.Errorf("ended: %s", lastLine(r.said.String())), r.err)
		case <-time.After(watchApart):
		}
		n, err := count()
		if why = err; err == nil && n > 0 {
			return nil
		}
	}
	return errors.Join(errors.New("carries no packets"), why)
}

// stop ends the program.
func (r *running) stop() {
	defer endInOrder(r.Process).Stop()
	<-r.ended
}

// endInOrder asks a program to end, so that it leaves nothing behind, and kills one that does not
// while the timer runs.
func endInOrder(program *os.Process) *time.Timer {
	_ = program.Signal(os.Interrupt)
	return time.AfterFunc(endPatience, func() { _ = program.Kill() })
}

// watchFor starts a program, waits until it carries packets, and measures it.
func watchFor(d time.Duration, cmd *exec.Cmd, count func() (uint64, error)) (float64, error) {
	r, err := start(cmd)
	if err != nil {
		return 0, err
	}
	defer r.stop()
	if err := r.carries(count); err != nil {
		return 0, err
	}
	w, err := watch(r.Process.Pid, count)
	if err != nil {
		return 0, err
	}
	return w.cost(d)
}
