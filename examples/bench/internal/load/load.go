package load

import (
	"crypto/cipher"
	"encoding/binary"
	"fmt"

	"github.com/sealburst/sealburst/engine"
)

const (
	nonceSize = 12
	aadSize   = 20
	headroom  = 64 // in front of a payload; associated data are its end
)

// Op is what is done with packets.
type Op string

// The operations.
const (
	Seal     Op = "seal"
	Open     Op = "open"
	Mask     Op = "mask"
	SealMask Op = "seal+mask"
)

// Work describes packets. Their payloads lie in one buffer each and their
// plaintexts in another, so that what is sealed or opened can be done again.
type Work struct {
	Suite Suite
	Op    Op
	Sizes []int    // payloads in bytes, one packet each, in the order of sending
	Burst int      // packets a call; it divides the number of Sizes
	Keys  int      // packet i is under key i modulo Keys, unless Draw says else
	Draw  []uint32 // the keys of packets in turn, over and over; only for Seal
	Align int      // where payloads start, modulo 64
}

// Mean is the mean payload in bytes.
func (w *Work) Mean() float64 {
	sum := 0
	for _, n := range w.Sizes {
		sum += n
	}
	return float64(sum) / float64(len(w.Sizes))
}

// Load is the memory of a Work, which all contestants share.
type Load struct {
	Work
	lanes  []lane
	masks  []byte
	number uint64 // that was used last
	turn   int    // the next of Draw
	first  int    // the first lane of the next burst
}

// lane is a packet.
type lane struct {
	wire   []byte // headroom, payload, tag
	plain  []byte
	off    int
	key    int
	number uint64 // it was last sealed with, or is to be opened with
	want   []byte // the plaintext
}

// New lays out the packets of a work and, for Open, seals them.
func New(w Work) (*Load, error) {
	if w.Burst < 1 || len(w.Sizes)%w.Burst != 0 {
		return nil, fmt.Errorf("%d packets are no whole number of bursts of %d", len(w.Sizes), w.Burst)
	}
	l := &Load{Work: w, lanes: make([]lane, len(w.Sizes)), masks: make([]byte, 16*w.Burst)}
	for i, n := range w.Sizes {
		wire, plain := aligned(headroom+64+n+w.Suite.Tag, 0), aligned(n, 0)
		off := headroom + w.Align
		l.lanes[i] = lane{wire: wire[:off+n+w.Suite.Tag], plain: plain, off: off, key: i % w.Keys, want: counting(n, byte(i))}
		copy(plain, l.lanes[i].want)
		copy(wire, counting(off, byte(3*i)))
	}
	if w.Op == Open {
		return l, l.sealAll()
	}
	return l, nil
}

// sealAll writes what is to be opened.
func (l *Load) sealAll() error {
	for i := range l.lanes {
		p := &l.lanes[i]
		a, err := l.Suite.library(l.key(p.key))
		if err != nil {
			return err
		}
		l.number++
		p.number = l.number
		a.Seal(p.wire[p.off:p.off], nonce(p.number), p.want, p.aad())
	}
	return nil
}

func (p *lane) aad() []byte { return p.wire[p.off-aadSize : p.off] }

// sample is the 16 bytes that the mask is made from: the payload's first.
func (p *lane) sample() []byte { return p.wire[p.off : p.off+16] }

// sealed is the payload and tag on the wire.
func (p *lane) sealed() []byte { return p.wire[p.off:] }

// key is the key of that index; keys differ.
func (l *Load) key(i int) []byte {
	key := counting(l.Suite.Alg.KeySize(), 0x20)
	binary.BigEndian.PutUint32(key, uint32(i))
	return key
}

var iv = counting(nonceSize, 0x80)

func nonce(number uint64) []byte {
	n := counting(nonceSize, 0x80)
	binary.BigEndian.PutUint64(n[4:], binary.BigEndian.Uint64(n[4:])^number)
	return n
}

// next are the lanes of the next burst.
func (l *Load) next() (from, to int) {
	from = l.first
	to = from + l.Burst
	if l.first = to; to == len(l.lanes) {
		l.first = 0
	}
	return from, to
}

// drawn is the key of the next packet.
func (l *Load) drawn() uint32 {
	k := l.Draw[l.turn]
	if l.turn++; l.turn == len(l.Draw) {
		l.turn = 0
	}
	return k
}

// warm is how many bursts use each drawn key about twice, for as many keys as
// some cache holds.
func (l *Load) warm() int {
	if l.Draw == nil || l.Keys > mostCached {
		return 0
	}
	return 2 * l.Keys / l.Burst
}

// mostCached is about how many keys of 1 kB the caches of a processor hold.
const mostCached = 50_000

func (l *Load) libraries() ([]cipher.AEAD, error) {
	all := make([]cipher.AEAD, l.Keys)
	return all, inParallel(l.Keys, func(i int) (err error) {
		all[i], err = l.Suite.library(l.key(i))
		return err
	})
}

// spec is the engine's key of that index.
func (l *Load) spec(i int) engine.KeySpec {
	return engine.KeySpec{Algorithm: l.Suite.Alg, Direction: l.direction(), Key: l.key(i), Nonce: xor, IV: iv, TagSize: l.Suite.Tag}
}
