package quicadapter

import (
	"bytes"
	"encoding/binary"
)

// Connection IDs are at most 20 bytes and mostly 8 or more: a few words move and compare
// them in less time than a call takes.

// putID writes an ID to the start of dst and returns its length, at most MaxConnectionID.
func putID(dst, id []byte) int {
	if len(id) < minWordsID {
		return copy(dst, id)
	}
	putWords(dst, id)
	return len(id)
}

// minWordsID is the shortest ID that putWords writes.
const minWordsID = 4

// putWords writes an ID in words that overlap.
func putWords(dst, id []byte) {
	n := len(id)
	if n >= 8 {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(id))
		if n > 16 {
			binary.LittleEndian.PutUint64(dst[8:], binary.LittleEndian.Uint64(id[8:]))
		}
		binary.LittleEndian.PutUint64(dst[n-8:], binary.LittleEndian.Uint64(id[n-8:]))
		return
	}
	binary.LittleEndian.PutUint32(dst, binary.LittleEndian.Uint32(id))
	binary.LittleEndian.PutUint32(dst[n-4:], binary.LittleEndian.Uint32(id[n-4:]))
}

// idKey is an ID as words, to compare and as a map's key: 8 bytes, 8 more, and the last 4
// below the length. Bytes that an ID does not have are 0.
type idKey struct{ first, second, rest uint64 }

// hash spreads keys over a small table.
func (k idKey) hash() uint64 { return (k.first ^ k.second ^ k.rest) * 0x9e3779b97f4a7c15 >> 32 }

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

// shortWindow is how much of a short header is looked at whatever the length of its ID:
// the first byte and the longest ID. A packet with a sample of header protection has more.
const shortWindow = 1 + MaxConnectionID

// idMask makes a key of a short header. It has a bit for each that the ID has in idKey.
type idMask idKey

func maskOf(size int) idMask {
	id := [MaxConnectionID]byte(bytes.Repeat([]byte{0xff}, MaxConnectionID))
	clear(id[size:])
	all := keyOf(id[:])
	return idMask{all.first, all.second, all.rest&(1<<32-1) | uint64(size)<<32}
}

// key is the key of the ID in a short header.
func (m *idMask) key(b *[shortWindow]byte) idKey {
	const length = 1<<64 - 1<<32
	return idKey{
		binary.LittleEndian.Uint64(b[1:]) & m.first,
		binary.LittleEndian.Uint64(b[9:]) & m.second,
		(uint64(binary.LittleEndian.Uint32(b[17:])) | length) & m.rest,
	}
}
