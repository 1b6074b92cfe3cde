// Package aligned makes the working memory of the kernels for key exchange.
package aligned

import "unsafe"

// New is a zero T that starts a cache line, as kernels want it. T must hold no
// pointers: the collector does not look for them there.
func New[T any]() *T {
	const line = 64
	raw := make([]byte, unsafe.Sizeof(*new(T))+line-1)
	start := unsafe.Pointer(unsafe.SliceData(raw))
	return (*T)(unsafe.Add(start, -uintptr(start)&(line-1)))
}
