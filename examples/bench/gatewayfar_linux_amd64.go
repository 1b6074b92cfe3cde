package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/pin"
	"github.com/sealburst/sealburst/examples/internal/memif"
	"golang.org/x/sys/unix"
)

// far is the far side of a program's second device, in memory that both share. It takes
// every frame as fast as they come and counts it, on a core of its own, so that the
// program never waits; it keeps those that it is to look at.
type far struct {
	program *exec.Cmd
	said    bytes.Buffer // by the program; to be read when it has ended
	ended   chan error
	input   io.Closer // of the program, which ends with it
	socket  io.Closer // of a client, or nil

	link    *memif.Link
	looking atomic.Bool
	frames  chan []byte
	came    atomic.Uint64
	waited  atomic.Uint64 // those that came before which the program may have waited
	stop    atomic.Bool
	stopped chan struct{}
}

// farDevice is the other end, as DPDK's programs name it.
func farDevice(socket string) string {
	return "net_memif1,role=client,socket-abstract=no,socket=" + socket
}

// farPatience is how long a program may take until its device is joined.
const farPatience = 30 * time.Second

// meet starts a program, whose device is at socket, and waits until it is joined.
func meet(socket string, program *exec.Cmd) (*far, error) {
	_ = os.Remove(socket) // of the run before
	listener, err := memif.Listen(socket)
	if err != nil {
		return nil, err
	}
	defer func() { _ = listener.Close() }()
	f := &far{program: program, ended: make(chan error, 1), frames: make(chan []byte, 4*captured), stopped: make(chan struct{})}
	if f.input, err = program.StdinPipe(); err != nil {
		return nil, err
	}
	program.Stdout, program.Stderr = &f.said, &f.said
	if err := program.Start(); err != nil {
		return nil, err
	}
	go func() {
		f.ended <- program.Wait()
		_ = listener.Close()
	}()
	patience := time.AfterFunc(farPatience, func() { _ = listener.Close() })
	defer patience.Stop()
	if f.link, err = listener.Accept(); err != nil {
		close(f.stopped)
		return nil, errors.Join(err, f.part())
	}
	f.looking.Store(true)
	go f.take()
	return f, nil
}

// take runs until the far side parts. Its core is not the first one, on which DPDK's
// programs run, and nobody else gets that, where it is allowed. Its thread ends with it.
func (f *far) take() {
	defer close(f.stopped)
	if core, err := pin.Thread(); err == nil && core > 0 {
		first := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}
		_ = unix.SchedSetAttr(0, &first, 0) // without, a busy machine disturbs more
	}
	for full := f.link.Room() - farBurst; !f.stop.Load(); {
		if f.looking.Load() {
			f.link.Receive(f.keep)
			continue
		}
		n := f.link.Skip()
		f.came.Add(uint64(n))
		if n >= full {
			f.waited.Add(uint64(n))
		}
	}
}

// farBurst is what a program sends at once: with less room than that it waits.
const farBurst = 64

// keep keeps a copy of a frame, if there is room for it.
func (f *far) keep(frame []byte) {
	if len(f.frames) < cap(f.frames) {
		f.frames <- bytes.Clone(frame)
	}
}

const (
	// farWindow is long beside the scheduler's tick, by which processor time is counted.
	farWindow = 50 * time.Millisecond
	// farTries is how many times its time a measurement takes at most, until a quarter of
	// the time was undisturbed.
	farTries = 4
)

// cost is what the program takes for a frame in nanoseconds. It is counted in the windows
// in which the far side never lost its core for long: otherwise the program waits for it.
// Where the machine is too busy for any, the one counts that was disturbed least.
func (f *far) cost(d time.Duration) (float64, error) {
	f.looking.Store(false)
	var sum, best usage
	least := 1.0
	for begin := time.Now(); !enough(d, time.Since(begin), sum, best); {
		u, waited, err := f.window()
		switch {
		case err != nil:
			return 0, err
		case u.packets == 0 || u.took == 0: // the program lost its core
		case waited < farDisturbed:
			sum.packets += u.packets
			sum.took += u.took
		case waited <= least:
			best, least = u, waited
		}
	}
	if sum.packets == 0 {
		sum = best
	}
	return marginal(usage{}, sum)
}

// enough reports whether a measurement that was to last d is over after some time.
func enough(d, after time.Duration, undisturbed, best usage) bool {
	switch {
	case after < d:
		return false
	case after < farTries*d:
		return undisturbed.took >= d/4
	}
	return undisturbed.packets+best.packets > 0 || after > farPatience
}

// farDisturbed is the part of a window's frames before which the program may have waited.
const farDisturbed = 0.02

// window counts for a while, and tells before which part of the frames the program may
// have waited.
func (f *far) window() (u usage, waited float64, err error) {
	before, full, begun := f.came.Load(), f.waited.Load(), f.processTime()
	time.Sleep(farWindow)
	now := f.processTime()
	if now == 0 {
		return u, 0, errors.New("the program has ended")
	}
	u = usage{f.came.Load() - before, now - begun}
	return u, float64(f.waited.Load()-full) / float64(max(u.packets, 1)), nil
}

// processTime is that of all the program's threads until now, 0 once it has ended.
func (f *far) processTime() time.Duration {
	const ofProcess = 2 // clock_getcpuclockid(3)
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^f.program.Process.Pid)<<3|ofProcess, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}

// part ends the program and gives back its last line if it failed before.
func (f *far) part() error {
	f.stop.Store(true)
	<-f.stopped
	if f.socket != nil {
		_ = f.socket.Close()
	}
	_ = f.input.Close()
	defer endInOrder(f.program.Process).Stop()
	err := <-f.ended
	if f.link != nil {
		return f.link.Close()
	}
	return fmt.Errorf("%w: %s", err, lastLine(f.said.String()))
}
