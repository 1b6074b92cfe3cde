package dataplane

import (
	"maps"
	"sync"
	"sync/atomic"
)

// shards is a table that grows without pauses: finding takes no lock and waits for
// nobody, and each change copies one part of 256, so that also with many entries none
// takes long.
type shards[K comparable, V any] struct {
	hash  func(K) uint64
	mu    sync.Mutex // of those that change it
	parts [256]atomic.Pointer[map[K]*V]
}

func (s *shards[K, V]) part(key K) *atomic.Pointer[map[K]*V] {
	return &s.parts[s.hash(key)%uint64(len(s.parts))]
}

// find is the value of a key, or nil.
func (s *shards[K, V]) find(key K) *V {
	if m := s.part(key).Load(); m != nil {
		return (*m)[key]
	}
	return nil
}

// set gives a key a value, in the place of any other.
func (s *shards[K, V]) set(key K, value *V) {
	s.change(key, func(m map[K]*V) { m[key] = value })
}

// remove takes a key away if it still has that value.
func (s *shards[K, V]) remove(key K, value *V) {
	s.change(key, func(m map[K]*V) {
		if m[key] == value {
			delete(m, key)
		}
	})
}

func (s *shards[K, V]) change(key K, do func(map[K]*V)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[K]*V{}
	if m := s.part(key).Load(); m != nil {
		next = maps.Clone(*m)
	}
	do(next)
	s.part(key).Store(&next)
}
