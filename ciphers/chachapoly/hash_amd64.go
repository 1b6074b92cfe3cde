//go:build amd64 && !purego

package chachapoly

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

const (
	lanes     = 8  // packets that are hashed at once
	hashBlock = 16 // of Poly1305
	tagSize   = 16
	// maxAAD is the most associated data that the kernels take.
	maxAAD = 64
	// maxHashBlocks bounds a call of hashBlocks: 8 lanes of 8 KiB.
	maxHashBlocks = 512
)

// hashLanes is eight packets' Poly1305 under way. The kernels know it: r, its square
// and the hash have limbs of 44, 44 and 42 bits, and s words, in each lane one.
type hashLanes struct {
	r, square, hash [3][lanes]uint64
	s               [2][lanes]uint64
}

// hashing is what up to eight packets still have to hash.
type hashing struct {
	at   [lanes]unsafe.Pointer
	left [lanes]int // blocks
	aad  [lanes][maxAAD]byte
}

// hash hashes the packets that index names, those of the messages from place on, and settles
// them. It returns how many are OK.
func (w *work) hash(place int, index []uint8) (ok int) {
	l, e := &w.secret.hash, &w.edges[place/lanes]
	hashStart(l, &w.secret.keys[place/lanes], e)
	if w.order.mostAAD > maxHead {
		w.hashAAD(index)
	}
	w.hashing.texts(l, w.messages[place:][:len(index)], w.order.oneLength)
	if w.opening {
		return w.settle(index, hashOpen(l, e))
	}
	hashSeal(l, e)
	return w.settle(index, 1<<lanes-1)
}

// hashAAD hashes associated data that are more than two blocks, padded with zeros.
func (w *work) hashAAD(index []uint8) {
	h := &w.hashing
	for i, at := range index {
		h.left[i] = 0
		aad := w.Packets[at].AAD(h.aad[i][:0])
		if len(aad) <= maxHead {
			continue
		}
		n := copy(h.aad[i][:], aad)
		h.left[i] = (n + hashBlock - 1) / hashBlock
		clear(h.aad[i][n : h.left[i]*hashBlock])
		h.at[i] = unsafe.Pointer(&h.aad[i])
	}
	h.run(&w.secret.hash, len(index))
}

// texts hashes the whole blocks of ciphertexts.
func (h *hashing) texts(l *hashLanes, messages []message, oneLength bool) {
	for i := range messages {
		m := &messages[i]
		h.at[i&(lanes-1)], h.left[i&(lanes-1)] = m.text, m.n/hashBlock
	}
	if !oneLength || h.left[0] > maxHashBlocks {
		h.run(l, len(messages))
	} else if n := h.left[0]; n != 0 {
		for i := len(messages); i < lanes; i++ {
			h.at[i] = h.at[0]
		}
		hashBlocks(l, &h.at, n, 1<<lanes-1)
	}
}

// run hashes what the first n lanes have left.
func (h *hashing) run(l *hashLanes, n int) {
	for i := n; i < lanes; i++ {
		h.left[i], h.at[i] = 0, h.at[0]
	}
	for {
		next, some, active := h.next()
		if active == 0 {
			return
		}
		h.step(l, next, some, active)
	}
}

// next finds the lanes that have something left, one of them, and for how many blocks all of
// them have.
func (h *hashing) next() (least, some, active int) {
	least = maxHashBlocks
	for i, left := range h.left {
		if left == 0 {
			continue
		}
		active |= 1 << i
		least, some = min(least, left), i
	}
	return least, some, active
}

// step hashes n blocks in the active lanes. A lane that has nothing left repeats what some
// other does, and does not change.
func (h *hashing) step(l *hashLanes, n, some, active int) {
	if active != 1<<lanes-1 {
		for i := range h.left {
			if h.left[i] == 0 {
				h.at[i] = h.at[some]
			}
		}
	}
	hashBlocks(l, &h.at, n, active)
	for i := range h.left {
		if h.left[i] == 0 {
			continue
		}
		if h.left[i] -= n; h.left[i] != 0 {
			h.at[i] = unsafe.Add(h.at[i], n*hashBlock)
		}
	}
}

// settle gives the packets that index names their status. Those whose bits are not set are not
// authentic.
func (w *work) settle(index []uint8, authentic int) (ok int) {
	for i, at := range index {
		p := &w.Packets[at]
		if authentic>>i&1 == 1 {
			p.Status = ciphers.StatusOK
			ok++
			continue
		}
		p.Status = ciphers.StatusAuth
		clear(p.Opened(tagSize))
	}
	return ok
}
