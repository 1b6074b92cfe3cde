package model

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime is the processor time that the process has taken. Only differences
// mean anything.
func processTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err) // there is no Linux without that clock
	}
	return time.Duration(t.Nano())
}
