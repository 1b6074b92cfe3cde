//go:build amd64 && !purego

package cbchmac

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

//go:generate env GOWORK=off go run -C _asm . -part cbc

const (
	lanes     = 16
	blockSize = 16
	// maxBlocks bounds a call of encrypt: 16 lanes of 4 KiB.
	maxBlocks = 256
)

// cbcLanes is what 16 packets are encrypted in at once, one in each lane. The
// kernels know the fields in front.
type cbcLanes struct {
	iv  [lanes][blockSize]byte
	src [lanes]unsafe.Pointer
	dst [lanes]unsafe.Pointer

	left  [lanes]int       // blocks that the lane still has to encrypt
	under [lanes]*schedule // whose round keys the lane has
	keys  *laneKeys        // apart, since what has pointers starts no cache line
}

// laneKeys are the lanes' round keys, by round and then by lane.
type laneKeys [15][lanes][blockSize]byte

//go:noescape
func encrypt128(l *cbcLanes, keys *laneKeys, n int)

//go:noescape
func encrypt192(l *cbcLanes, keys *laneKeys, n int)

//go:noescape
func encrypt256(l *cbcLanes, keys *laneKeys, n int)

//go:noescape
func decrypt128(dst, src, iv, keys *byte, n int)

//go:noescape
func decrypt192(dst, src, iv, keys *byte, n int)

//go:noescape
func decrypt256(dst, src, iv, keys *byte, n int)

// encrypt encrypts the payloads of a burst. A lane that is done takes the next
// packet, so that packets of any lengths fill the lanes.
func (l *cbcLanes) encrypt(b ciphers.Burst, rounds int) {
	next := 0
	for {
		least, some := 0, -1
		for i := range l.left {
			for l.left[i] == 0 && next < len(b.Index) {
				l.take(i, &b.Packets[b.Index[next]], b.Slot, rounds)
				next++
			}
			if n := l.left[i]; n != 0 && (some < 0 || n < least) {
				least, some = n, i
			}
		}
		if some < 0 {
			return
		}
		l.run(min(least, maxBlocks), some, rounds)
	}
}

// take puts a packet into a lane.
func (l *cbcLanes) take(i int, p *ciphers.Packet, slot, rounds int) {
	src, dst := p.Plaintext(), p.Buf[p.Off:]
	l.src[i], l.dst[i] = unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	l.left[i] = len(src) / blockSize
	l.iv[i] = [blockSize]byte(p.IV())
	if s := scheduleOf(p, slot); l.under[i] != s {
		l.under[i] = s
		for r := range rounds + 1 {
			l.keys[r][i] = s.rounds[r]
		}
	}
}

// run encrypts n blocks in every lane. Lanes without a packet do once more what
// lane some does: all read before one writes, so that nothing else comes of it.
func (l *cbcLanes) run(n, some, rounds int) {
	for i := range l.left {
		if l.left[i] != 0 {
			continue
		}
		l.src[i], l.dst[i], l.iv[i] = l.src[some], l.dst[some], l.iv[some]
		if l.under[i] != l.under[some] {
			l.under[i] = l.under[some]
			for r := range rounds + 1 {
				l.keys[r][i] = l.keys[r][some]
			}
		}
	}
	switch rounds {
	case 10:
		encrypt128(l, l.keys, n)
	case 12:
		encrypt192(l, l.keys, n)
	default:
		encrypt256(l, l.keys, n)
	}
	for i := range l.left {
		if l.left[i] > n {
			l.src[i], l.dst[i] = unsafe.Add(l.src[i], n*blockSize), unsafe.Add(l.dst[i], n*blockSize)
			l.left[i] -= n
		} else {
			l.left[i] = 0
		}
	}
}

// decryptCBC decrypts one packet.
func decryptCBC(p *ciphers.Packet, slot, rounds int) {
	opened := p.Opened(p.Key.TagSize())
	if len(opened) == 0 {
		return
	}
	dst, src, iv := unsafe.SliceData(opened), unsafe.SliceData(p.Received()), unsafe.SliceData(p.IV())
	keys, n := &scheduleOf(p, slot).rounds[0][0], len(opened)/blockSize
	switch rounds {
	case 10:
		decrypt128(dst, src, iv, keys, n)
	case 12:
		decrypt192(dst, src, iv, keys, n)
	default:
		decrypt256(dst, src, iv, keys, n)
	}
}
