package seqstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"os"

	"golang.org/x/sys/unix"
)

// bootFile has another content after each start of the system.
const bootFile = "/proc/sys/kernel/random/boot_id"

// forcedFile says whether memory ends with the last process that uses it.
const forcedFile = "/proc/sys/kernel/shm_rmid_forced"

// whereabouts says which start of the system this is, and which file is the store's lock.
func (s *Store) whereabouts() (boot, lock string, err error) {
	if bits.UintSize < 64 {
		return "", "", fmt.Errorf("%w: a kill could tear a number", errors.ErrUnsupported)
	}
	if forced, _ := os.ReadFile(forcedFile); bytes.HasPrefix(forced, []byte("1")) {
		return "", "", fmt.Errorf("%w: kernel.shm_rmid_forced is set", errors.ErrUnsupported)
	}
	id, err := os.ReadFile(bootFile)
	if err != nil {
		return "", "", err
	}
	var info unix.Stat_t
	if err := unix.Fstat(int(s.locks[0].Fd()), &info); err != nil {
		return "", "", err
	}
	return string(bytes.TrimSpace(id)), fmt.Sprintf("%d:%d", info.Dev, info.Ino), nil
}

// newSegment makes memory of this user's alone, of zeros.
func newSegment(size int) (id int, b []byte, err error) {
	id, err = unix.SysvShmGet(unix.IPC_PRIVATE, size, unix.IPC_CREAT|unix.IPC_EXCL|0o600)
	if err != nil {
		return 0, nil, fmt.Errorf("shared memory: %w", err)
	}
	if b, err = unix.SysvShmAttach(id, 0, 0); err != nil {
		return 0, nil, errors.Join(fmt.Errorf("shared memory: %w", err), removeSegment(id))
	}
	return id, b, nil
}

// removed is in the mode of memory that is taken back, SHM_DEST of the system.
const removed = 0o1000

// attachSegment makes memory readable that there is, if this user made it.
func attachSegment(id int) ([]byte, error) {
	var about unix.SysvShmDesc
	if _, err := unix.SysvShmCtl(id, unix.IPC_STAT, &about); err != nil {
		return nil, err
	}
	if about.Perm.Cuid != uint32(os.Geteuid()) || about.Perm.Mode&removed != 0 {
		return nil, unix.EACCES
	}
	return unix.SysvShmAttach(id, 0, unix.SHM_RDONLY)
}

func detachSegment(b []byte) { _ = unix.SysvShmDetach(b) }

// removeSegment has the system take the memory back, when no process has it any more.
func removeSegment(id int) error {
	_, err := unix.SysvShmCtl(id, unix.IPC_RMID, nil)
	return err
}
