package pin

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

func lastCore() (int, error) {
	var may unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil {
		return -1, fmt.Errorf("pin: %w", err)
	}
	core := len(may)*64 - 1
	for core > 0 && !may.IsSet(core) {
		core--
	}
	var one unix.CPUSet
	one.Set(core)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return -1, fmt.Errorf("pin: %w", err)
	}
	return core, nil
}

func threadTime() time.Time {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // there is no Linux without that clock
	}
	return time.Unix(t.Unix())
}
