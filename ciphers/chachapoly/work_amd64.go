//go:build amd64 && !purego

package chachapoly

import (
	"sync"

	"github.com/sealburst/sealburst/ciphers"
)

// maxPart is how many packets are worked on at a time. Their payloads should still be
// in the cache when they are hashed.
const maxPart = 64

// oneTimeKey is the r and the s of a packet (RFC 8439 section 2.6).
type oneTimeKey [32]byte

// work is what a part of a burst is computed in.
type work struct {
	ciphers.Burst
	opening  bool
	order    order
	messages [maxPart]message // in that order
	blocks   blockQueue
	edges    [maxPart / lanes]hashEdges
	apart    [maxPart]apart
	hashing  hashing
	used     int     // sets of one-time keys that may not be zero
	secret   *secret // an object of its own: only those without pointers start at a cache line
}

// secret is what is wiped behind a burst.
type secret struct {
	hash   hashLanes
	keys   [maxPart / lanes][lanes]oneTimeKey // by place in the order
	stream [(width - 1) * blockSize]byte
}

var works = sync.Pool{New: func() any { return &work{secret: new(secret)} }}

// take begins with a part of a burst.
func (w *work) take(b ciphers.Burst, opening bool, lone int) {
	w.Burst, w.opening = b, opening
	w.order.sort(w, lone)
	index := w.order.together
	for i, at := range index {
		m, p := &w.messages[i], &b.Packets[at]
		m.set(p, b.Slot, opening)
		w.edges[i/lanes].set(i, m, p, &w.apart[i])
	}
	for i := len(index); i%lanes != 0; i++ {
		w.edges[i/lanes].idle(i%lanes, &w.apart[i])
	}
}

// run seals or opens the packets that are in order and returns how many are OK. Those of one
// length fill whole sets of lanes 16 at a time, and are hashed while the nearest cache
// has them.
func (w *work) run() (ok int) {
	n := len(w.order.together)
	w.used = max(w.used, (n+lanes-1)/lanes)
	step := n
	if w.order.oneLength {
		step = width
	}
	for from := 0; from < n; from += step {
		ok += w.runFrom(from, min(from+step, n))
	}
	return ok
}

// runFrom seals or opens the packets of those places in the order. The first one is a multiple
// of lanes.
func (w *work) runFrom(from, to int) (ok int) {
	messages, index := w.messages[from:to], w.order.together[from:to]
	for i := range messages {
		at := from + i
		w.blocks.oneTimeKey(&messages[i], &w.secret.keys[at/lanes][at%lanes])
	}
	if w.opening {
		w.ahead(messages)
	} else {
		for i := range messages {
			w.blocks.payload(&messages[i])
		}
	}
	w.blocks.flush()
	for at := from; at < to; at += lanes {
		ok += w.hash(at, w.order.together[at:min(at+lanes, to)])
	}
	if w.opening {
		w.decrypt(messages, index)
	}
	return ok
}

// ahead uses the lanes that one-time keys leave free for key stream.
func (w *work) ahead(messages []message) {
	stream := w.secret.stream[:]
	for i := 0; i < len(messages) && w.blocks.n%width != 0; i++ {
		n := w.blocks.keyStream(&messages[i], stream)
		messages[i].ahead, stream = stream[:n], stream[n:]
	}
}

// decrypt opens the packets that are authentic.
func (w *work) decrypt(messages []message, index []uint8) {
	for i, at := range index {
		if w.Packets[at].Status == ciphers.StatusOK {
			w.blocks.payload(&messages[i])
		}
	}
	w.blocks.flush()
}

// runAlone gives the other packets to the portable tier.
func (w *work) runAlone(portable ciphers.AEAD) int {
	b := w.Burst
	if b.Index = w.order.alone; len(b.Index) == 0 {
		return 0
	}
	if w.opening {
		return portable.Open(b)
	}
	return portable.Seal(b)
}

// done wipes the work and gives it back.
func (w *work) done() {
	w.wipe()
	works.Put(w)
}

// wipe zeroes what has been written of the secret.
func (w *work) wipe() {
	w.Burst = ciphers.Burst{}
	if w.used == 0 {
		return
	}
	w.secret.hash = hashLanes{}
	clear(w.secret.keys[:w.used])
	if w.opening {
		clear(w.secret.stream[:])
	}
	w.used = 0
}
