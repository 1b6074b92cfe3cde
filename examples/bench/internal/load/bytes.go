package load

import "unsafe"

// aligned is n bytes that start at that place of a 64-byte line.
func aligned(n, at int) []byte {
	raw := make([]byte, n+128)
	skip := (at - int(uintptr(unsafe.Pointer(unsafe.SliceData(raw))))) & 63
	return raw[skip : skip+n : skip+n]
}

// counting is n bytes that do not repeat with the period of a block.
func counting(n int, first byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i) + byte(i>>8)*3
	}
	return b
}
