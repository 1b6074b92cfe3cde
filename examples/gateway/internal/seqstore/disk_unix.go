//go:build unix

package seqstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes a file that one process holds at a time. The system lets go of it when the
// process ends, however that comes about.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}

// syncFolder waits until the name of a file that was renamed is on the disk.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
