package engine

import (
	"encoding/binary"
	"slices"
)

func checkNonce(nonce []byte) {
	if len(nonce) != nonceSize {
		panic("engine: AEAD: nonce is not 12 bytes long")
	}
}

func splitNonce(nonce []byte) (high uint32, number uint64) {
	return binary.BigEndian.Uint32(nonce), binary.BigEndian.Uint64(nonce[4:])
}

// extend grows dst by n bytes and returns it whole and what was added.
func extend(dst []byte, n int) (whole, added []byte) {
	whole = slices.Grow(dst, n)[:len(dst)+n]
	return whole, whole[len(dst):]
}
