package pin

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

func processTo(core int) (undo func(), err error) {
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("pin: %w", err)
	}
	one.Set(core)
	undo = func() { _ = everyThread(&before) } // what was allowed before still is
	if err := everyThread(&one); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}

func everyThread(may *unix.CPUSet) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("pin: %w", err)
	}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err != nil {
			continue
		}
		if err := unix.SchedSetaffinity(id, may); err != nil && err != unix.ESRCH { // that thread has ended
			return fmt.Errorf("pin: %w", err)
		}
	}
	return nil
}

func cores() []int {
	var may unix.CPUSet
	if err := unix.SchedGetaffinity(0, &may); err != nil {
		return nil
	}
	var all []int
	for core := range len(may) * 64 {
		if may.IsSet(core) {
			all = append(all, core)
		}
	}
	return all
}
