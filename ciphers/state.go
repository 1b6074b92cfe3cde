package ciphers

import "unsafe"

// State is what one implementation keeps for one key.
type State struct {
	schedule unsafe.Pointer // 64-byte aligned
	size     int
	Object   any // a library's own object; dropped when the key closes, after Release if it has one
}

// Schedule is the expanded key, at least as many bytes as ScheduleSize asked
// for, 64-byte aligned. Closing the key zeroes it.
func (s *State) Schedule() []byte { return unsafe.Slice((*byte)(s.schedule), s.size) }

// Releaser is an Object that holds memory of its own. Release zeroes and frees
// it once no burst can use the key any more.
type Releaser interface{ Release() }

// allocate gives the state size bytes that start a cache line.
func (s *State) allocate(size int) {
	const line = 64
	raw := make([]byte, size+line-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (line - 1)
	s.schedule = unsafe.Pointer(unsafe.SliceData(raw[skip:]))
	s.size = size
}
