package eal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Errors for errors.Is.
var (
	ErrUnavailable = errors.New("eal: this build has no DPDK: build with -tags dpdk and libdpdk")
	ErrNotStarted  = errors.New("eal: DPDK is not started")
	ErrStarted     = errors.New("eal: DPDK is started already, with other arguments")
)

// StartError says that DPDK refused to start. It is final: DPDK does not start
// twice in a process.
type StartError struct {
	Args  []string // what DPDK was given
	Cause error    // a syscall.Errno
	Said  string   // the last lines of its log
}

// Error is one line.
func (e *StartError) Error() string {
	said := strings.Join(strings.Split(strings.TrimSpace(e.Said), "\n"), "; ")
	return fmt.Sprintf("eal: DPDK does not start with %s: %v: %s", strings.Join(e.Args, " "), e.Cause, said)
}

// Unwrap gives the cause.
func (e *StartError) Unwrap() error { return e.Cause }

// DeviceError says that a device was not found or does not start.
type DeviceError struct {
	Device string // its argument
	Cause  error  // a syscall.Errno
}

// Error names the device.
func (e *DeviceError) Error() string { return fmt.Sprintf("eal: device %s: %v", e.Device, e.Cause) }

// Unwrap gives the cause.
func (e *DeviceError) Unwrap() error { return e.Cause }

// Report is how DPDK was started.
type Report struct {
	Version   string   `json:"version"`    // such as "DPDK 22.11.11"
	Args      []string `json:"args"`       // what it was given, Start's decisions included
	HugePages bool     `json:"huge_pages"` // where its memory lies
	Log       string   `json:"log"`        // what it said meanwhile
}

// String is one line.
func (r Report) String() string {
	where := "no hugepages"
	if r.HugePages {
		where = "hugepages"
	}
	return fmt.Sprintf("%s, %s, %s", r.Version, where, strings.Join(r.Args, " "))
}

// process is DPDK in this process, which has one.
var process struct {
	sync.Mutex
	tried  bool
	given  []string
	report Report
	err    error
}

// Start starts DPDK. When it is started already, Start with the same arguments,
// or with none, does nothing; with others it fails with ErrStarted. It fails with
// a *StartError when DPDK does, and from then on with the same one.
func Start(args []string) error {
	process.Lock()
	defer process.Unlock()
	if process.tried {
		if process.err == nil && len(args) != 0 && !slices.Equal(args, process.given) {
			return fmt.Errorf("%w: %s", ErrStarted, strings.Join(process.given, " "))
		}
		return process.err
	}
	report, err := start(args)
	if errors.Is(err, ErrUnavailable) {
		return err
	}
	process.tried, process.given, process.report, process.err = true, slices.Clone(args), report, err
	return err
}

// Current says how DPDK was started, or ErrNotStarted, or Start's error.
func Current() (Report, error) {
	process.Lock()
	defer process.Unlock()
	if !process.tried {
		return Report{}, ErrNotStarted
	}
	return process.report, process.err
}

// Plug makes a device available after the start: a virtual one by its name and
// parameters, such as "crypto_aesni_gcm0" or "net_null1,size=64", a physical one
// that the arguments of Start allowed by its address. A device that is there
// already stays. It fails with a *DeviceError or ErrNotStarted.
func Plug(device string) error {
	if _, err := Current(); err != nil {
		return err
	}
	return plug(device)
}

// Unplug takes a device away again, by the argument of Plug.
func Unplug(device string) error {
	if _, err := Current(); err != nil {
		return err
	}
	return unplug(device)
}

// Register makes the calling thread one of DPDK's, with caches of its own in
// memory pools. The caller has locked its goroutine to the thread, and calls
// Unregister before it unlocks it. A process has at most 128 such threads.
func Register() error {
	if _, err := Current(); err != nil {
		return err
	}
	return register()
}

// Unregister undoes Register.
func Unregister() { unregister() }

// Version is DPDK's, such as "DPDK 22.11.11", before the start too; empty where
// the build has none.
func Version() string { return version() }
