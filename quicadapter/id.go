package quicadapter

import "encoding/binary"

// Connection IDs are at most 20 bytes and mostly 8 or more: a few words that overlap move
// and compare them in less time than a call takes.

// putID writes an ID to the start of dst and returns its length, at most MaxConnectionID.
func putID(dst, id []byte) int {
	n := len(id)
	switch {
	case n >= 8:
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(id))
		if n > 16 {
			binary.LittleEndian.PutUint64(dst[8:], binary.LittleEndian.Uint64(id[8:]))
		}
		binary.LittleEndian.PutUint64(dst[n-8:], binary.LittleEndian.Uint64(id[n-8:]))
	case n >= 4:
		binary.LittleEndian.PutUint32(dst, binary.LittleEndian.Uint32(id))
		binary.LittleEndian.PutUint32(dst[n-4:], binary.LittleEndian.Uint32(id[n-4:]))
	default:
		copy(dst, id)
	}
	return n
}

// sameID compares two IDs of at most MaxConnectionID bytes. They are public. It is small
// enough for the compiler to put it, with what most IDs need, into its callers.
func sameID(a, b []byte) bool {
	if len(a) == 8 && len(b) == 8 {
		return binary.LittleEndian.Uint64(a) == binary.LittleEndian.Uint64(b)
	}
	return sameOther(a, b)
}

// sameOther is sameID for any length.
func sameOther(a, b []byte) bool {
	n := len(a)
	switch {
	case n != len(b):
		return false
	case n >= 8:
		return binary.LittleEndian.Uint64(a) == binary.LittleEndian.Uint64(b) &&
			(n <= 16 || binary.LittleEndian.Uint64(a[8:]) == binary.LittleEndian.Uint64(b[8:])) &&
			binary.LittleEndian.Uint64(a[n-8:]) == binary.LittleEndian.Uint64(b[n-8:])
	case n >= 4:
		return binary.LittleEndian.Uint32(a) == binary.LittleEndian.Uint32(b) &&
			binary.LittleEndian.Uint32(a[n-4:]) == binary.LittleEndian.Uint32(b[n-4:])
	}
	return string(a) == string(b)
}

// idKey is an ID as a map's key: its words, and its length with the last of them.
type idKey struct{ first, second, rest uint64 }

// keyOf is the key of an ID of at most MaxConnectionID bytes.
func keyOf(id []byte) (k idKey) {
	if len(id) == 8 {
		return idKey{first: binary.LittleEndian.Uint64(id), rest: 8 << 32}
	}
	var words [24]byte
	copy(words[:MaxConnectionID], id)
	return idKey{
		binary.LittleEndian.Uint64(words[:]), binary.LittleEndian.Uint64(words[8:]),
		binary.LittleEndian.Uint64(words[16:]) | uint64(len(id))<<32,
	}
}
