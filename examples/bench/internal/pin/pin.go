// Package pin keeps a measurement on one processor core and away from what
// others do there.
package pin

import (
	"runtime"
	"time"
)

// Thread ties the calling goroutine to its thread and the thread to the last
// core that the process may use, and says which; -1 where the system does not
// offer that.
func Thread() (core int, err error) {
	runtime.LockOSThread()
	return lastCore()
}

// Clock is the processor time of the calling thread, which stands still while
// other programs have the core; elsewhere than on Linux it is the wall's. Only
// differences mean anything.
func Clock() time.Time { return threadTime() }

// Cores are those that the process may use, and nil where the system does not say.
func Cores() []int { return cores() }

// Process keeps every thread of the process, and those that they start, on one core until
// undo is called. It does nothing where the system does not offer that.
func Process(core int) (undo func(), err error) { return processTo(core) }
