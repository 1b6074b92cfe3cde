//go:build !purego

package aesgcm

import "github.com/sealburst/sealburst/ciphers"

// inPlaceAAD is how many bytes of associated data the kernels take, when they
// lie in one piece.
const inPlaceAAD = 48

// folded is a packet's associated data in the form of one block, which hashes
// like all of them: the hash of the blocks before the last, added to the last.
// The length stays that of the whole; 0 means that the packet does without.
type folded struct {
	block [16]byte
	len   uint64
	_     uint64
}

type foldedBurst [ciphers.MaxBurst]folded

// needsFold reports associated data that the kernels cannot take as they are.
func needsFold(p *ciphers.Packet) bool {
	n := len(p.Prefix)
	return n+int(p.AADLen) > inPlaceAAD || n != 0 && p.AADLen != 0
}

// fill folds the associated data of those packets of b that need it.
func (f *foldedBurst) fill(b ciphers.Burst) {
	for _, i := range b.Index {
		p := &b.Packets[i]
		if !needsFold(p) {
			continue
		}
		schedule := &p.Key.State(b.Slot).Schedule()[0]
		var h blockHash
		h.add(schedule, p.Prefix)
		if p.AADLen != 0 { // else AADOff means nothing, and may lie outside Buf
			h.add(schedule, p.Buf[p.AADOff:int(p.AADOff)+int(p.AADLen)])
		}
		f[i] = folded{block: h.last(), len: uint64(len(p.Prefix)) + uint64(p.AADLen)}
	}
}

// blockHash hashes all but the last block of what it is given.
type blockHash struct {
	hash, block [16]byte
	n           int // bytes in block
}

// maxFold bounds the blocks of a call, which is not preemptible.
const maxFold = 1024

func (h *blockHash) add(schedule *byte, data []byte) {
	for len(data) > 0 {
		if h.n == len(h.block) {
			foldBlocks(schedule, &h.hash[0], &h.block[0], 1)
			h.n = 0
		}
		if whole := min((len(data)-1)/len(h.block), maxFold); h.n == 0 && whole > 0 {
			foldBlocks(schedule, &h.hash[0], &data[0], whole)
			data = data[whole*len(h.block):]
		}
		c := copy(h.block[h.n:], data)
		h.n += c
		data = data[c:]
	}
}

func (h *blockHash) last() (b [16]byte) {
	copy(b[:], h.block[:h.n])
	for i := range b {
		b[i] ^= h.hash[i]
	}
	return b
}

// foldBlocks sets hash to (hash ^ block) H for each of n blocks, n > 0.
//
//go:noescape
func foldBlocks(schedule, hash, blocks *byte, n int)
