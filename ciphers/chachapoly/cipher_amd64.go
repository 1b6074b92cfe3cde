//go:build amd64 && !purego

package chachapoly

import (
	"crypto/subtle"
	"unsafe"
)

const (
	blockSize = 64 // of ChaCha20
	width     = 16 // blocks that are computed at once
	stretch   = width * blockSize
	maxSets   = 8 // of blocks that are gathered
)

// blockLane is a block to encrypt. The kernels know it.
type blockLane struct {
	iv       [2]uint64 // the block's counter and the packet's nonce
	key      *byte
	src, dst unsafe.Pointer
	mask     uint64 // which bytes of the block there are
}

// blockQueue gathers blocks of any packets, 16 of which are encrypted at once. There are several
// sets of them, since a kernel waits for what has just been written until it has left the
// store buffer.
type blockQueue struct {
	lanes [maxSets * width]blockLane
	n     int             // lanes that are taken
	zero  [blockSize]byte // what keys and key stream are the encryption of
}

// oneTimeKey makes the key of a message, not before the next flush.
func (q *blockQueue) oneTimeKey(m *message, to *oneTimeKey) {
	if q.n == len(q.lanes) {
		q.flush()
	}
	l := &q.lanes[q.n]
	l.iv[0], l.iv[1], l.key = m.iv[0], m.iv[1], m.key
	l.src, l.dst, l.mask = unsafe.Pointer(&q.zero), unsafe.Pointer(to), 1<<len(to)-1
	q.n++
}

// payload encrypts a message, its end not before the next flush.
func (q *blockQueue) payload(m *message) {
	at := 0
	if whole := m.n / stretch; whole != 0 {
		iv := m.block(1)
		chachaStretch(m.dst, m.src, m.key, &iv, whole)
		at = whole * stretch
	}
	if len(m.ahead) != 0 {
		at = m.useAhead(at)
	}
	for at < m.n {
		if q.n == len(q.lanes) {
			q.flush()
		}
		at = q.blocks(m, at)
	}
}

// useAhead encrypts from at on with the key stream that is there, and returns how far it came.
func (m *message) useAhead(at int) int {
	n := min(len(m.ahead), m.n-at)
	src, dst := unsafe.Slice((*byte)(m.src), m.n), unsafe.Slice((*byte)(m.dst), m.n)
	subtle.XORBytes(dst[at:], src[at:], m.ahead[:n])
	return at + n
}

// keyStream puts into lanes, up to the end of a set, blocks of a message's key stream that is
// then at the start of to, and returns its length.
func (q *blockQueue) keyStream(m *message, to []byte) (n int) {
	at := m.n &^ (stretch - 1)
	for iv := m.block(1 + at/blockSize); q.n%width != 0 && at+n < m.n; n += blockSize {
		q.lanes[q.n&(len(q.lanes)-1)] = blockLane{iv, m.key, unsafe.Pointer(&q.zero), unsafe.Pointer(&to[n]), ^uint64(0)}
		q.n++
		iv[0]++
	}
	return n
}

// blocks puts into lanes what blocks of a message, from at on, there are lanes for, and returns
// how far it came.
func (q *blockQueue) blocks(m *message, at int) int {
	i, iv := q.n, m.block(1+at/blockSize)
	for ; i < len(q.lanes) && at < m.n; i++ {
		l := &q.lanes[i]
		l.iv[0], l.iv[1], l.key = iv[0], iv[1], m.key
		l.src, l.dst, l.mask = unsafe.Add(m.src, at), unsafe.Add(m.dst, at), ^uint64(0)
		if at += blockSize; at > m.n {
			l.mask >>= (at - m.n) & (blockSize - 1)
		}
		iv[0]++
	}
	q.n = i
	return at
}

// flush encrypts all blocks. The lanes behind them have the addresses of the last, and no bytes.
func (q *blockQueue) flush() {
	if q.n == 0 {
		return
	}
	idle := q.lanes[q.n-1]
	idle.mask = 0
	for ; q.n%width != 0; q.n++ {
		q.lanes[q.n] = idle
	}
	chachaLanes(&q.lanes[0], q.n/width)
	q.n = 0
}
