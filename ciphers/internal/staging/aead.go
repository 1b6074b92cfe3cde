package staging

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// Library is one algorithm of a C library.
type Library interface {
	// NewKey makes the library's key, in memory that is not Go's, and returns its
	// address and what frees it.
	NewKey(spec *ciphers.KeySpec) (uintptr, ciphers.Releaser, error)
}

// AEADLibrary is an AEAD of a C library. Its methods cross over: they process
// the records of an area and set the status of each.
type AEADLibrary interface {
	Library
	Seal(a *Area)
	Open(a *Area)
}

// AEAD makes a library's AEAD an implementation of package ciphers.
func AEAD(l AEADLibrary) ciphers.AEAD { return aead{implementation{l}, l} }

type aead struct {
	implementation
	lib AEADLibrary
}

func (x aead) Seal(b ciphers.Burst) (ok int) {
	a := areas.Get().(*Area)
	for rest := b.Index; len(rest) > 0; {
		n := a.stagePlain(b, rest)
		x.lib.Seal(a)
		ok += a.deliverSealed(b, rest[:n])
		rest = rest[n:]
	}
	areas.Put(a)
	return ok
}

func (x aead) Open(b ciphers.Burst) (ok int) {
	a := areas.Get().(*Area)
	for rest := b.Index; len(rest) > 0; {
		n := a.stageReceived(b, rest)
		x.lib.Open(a)
		ok += a.deliverOpened(b, rest[:n])
		rest = rest[n:]
	}
	areas.Put(a)
	return ok
}

// stagePlain stages packets to be sealed, as many as there is room for and at
// least one.
func (a *Area) stagePlain(b ciphers.Burst, index []uint8) int {
	a.count, a.used = 0, 0
	for n, i := range index {
		p := &b.Packets[i]
		if !a.stage(p, b.Slot, p.Plaintext(), int(p.Len)) {
			return n
		}
	}
	return len(index)
}

// stageReceived does for opening what stagePlain does for sealing.
func (a *Area) stageReceived(b ciphers.Burst, index []uint8) int {
	a.count, a.used = 0, 0
	for n, i := range index {
		p := &b.Packets[i]
		if !a.stage(p, b.Slot, p.Received(), int(p.Len)-p.Key.TagSize()) {
			return n
		}
	}
	return len(index)
}

func (a *Area) deliverSealed(b ciphers.Burst, index []uint8) (ok int) {
	for n, i := range index {
		p, r := &b.Packets[i], &a.records[n]
		p.Status = r.status
		if r.status == ciphers.StatusOK {
			copy(p.Sealed(int(r.tagSize)), a.bytes[r.payload:])
			ok++
		}
	}
	return ok
}

func (a *Area) deliverOpened(b ciphers.Burst, index []uint8) (ok int) {
	for n, i := range index {
		p, r := &b.Packets[i], &a.records[n]
		p.Status = r.status
		to := p.Opened(int(r.tagSize))
		switch r.status {
		case ciphers.StatusOK:
			copy(to, a.bytes[r.payload:])
			ok++
		case ciphers.StatusAuth:
			clear(to)
		}
	}
	return ok
}

// implementation keeps the address of the library's key in the schedule.
type implementation struct{ Library }

func (implementation) ScheduleSize() int { return int(unsafe.Sizeof(uintptr(0))) }

func (x implementation) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	at, owner, err := x.NewKey(spec)
	if err != nil {
		return err
	}
	*handle(st) = at
	st.Object = owner
	return nil
}

func handle(st *ciphers.State) *uintptr {
	return (*uintptr)(unsafe.Pointer(unsafe.SliceData(st.Schedule())))
}
