package main

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
)

const randomSize = 32

// hello gathers the beginning of a hello message from CRYPTO frames in any order.
type hello struct {
	data [256]byte
	have [256]bool
}

func (h *hello) take(f *frame.Frame) {
	for i, b := range f.Data {
		if at := f.Offset + uint64(i); at < uint64(len(h.data)) {
			h.data[at], h.have[at] = b, true
		}
	}
}

// has reports that the first n bytes are there.
func (h *hello) has(n int) bool {
	for _, there := range h.have[:n] {
		if !there {
			return false
		}
	}
	return true
}

// Where things lie in both hellos (RFC 8446 section 4.1): type, length and legacy version
// come first, then the random, then the session ID behind its length.
const (
	randomAt  = 4 + 2
	sessionAt = randomAt + randomSize
)

// random is a ClientHello's.
func (h *hello) random() (string, bool) {
	if !h.has(sessionAt) || h.data[0] != 1 {
		return "", false
	}
	return string(h.data[randomAt:sessionAt]), true
}

// suite is the one that a ServerHello chose.
func (h *hello) suite() (quicadapter.Suite, bool) {
	if !h.has(sessionAt+1) || h.data[0] != 2 {
		return 0, false
	}
	at := sessionAt + 1 + int(h.data[sessionAt])
	if at+2 > len(h.data) || !h.has(at+2) {
		return 0, false
	}
	return quicadapter.Suite(binary.BigEndian.Uint16(h.data[at:])), true
}
