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
// kernels know it.
type cbcLanes struct {
	iv  [lanes]unsafe.Pointer // the block before dst's, or the IV
	src [lanes]unsafe.Pointer
	dst [lanes]unsafe.Pointer
	key [lanes]*schedule
}

// laneKeys are the lanes' round keys, by round and then by lane.
type laneKeys struct {
	rounds [15][lanes][blockSize]byte
	used   int // of the rounds, for wipe
}

func (k *laneKeys) wipe() {
	clear(k.rounds[:k.used])
	k.used = 0
}

//go:noescape
func spread(keys *laneKeys, l *cbcLanes, n int)

//go:noescape
func replace(row, key *byte, words, n int)

//go:noescape
func encrypt128(l *cbcLanes, keys *laneKeys, n int)

//go:noescape
func encrypt192(l *cbcLanes, keys *laneKeys, n int)

//go:noescape
func encrypt256(l *cbcLanes, keys *laneKeys, n int)

//go:noescape
func encryptOne128(l *cbcLanes, n int)

//go:noescape
func encryptOne192(l *cbcLanes, n int)

//go:noescape
func encryptOne256(l *cbcLanes, n int)

//go:noescape
func decrypt128(dst, src, iv, keys *byte, n int)

//go:noescape
func decrypt192(dst, src, iv, keys *byte, n int)

//go:noescape
func decrypt256(dst, src, iv, keys *byte, n int)

// encrypt encrypts n blocks in every lane. When the lanes have more than one key
// their round keys come into keys.
func (l *cbcLanes) encrypt(n, rounds int, keys *laneKeys) {
	if l.oneKey() {
		l.underOne(n, rounds)
	} else {
		keys.used = rounds + 1
		spread(keys, l, keys.used)
		l.underMany(n, rounds, keys)
	}
}

func (l *cbcLanes) oneKey() bool {
	for _, k := range l.key[1:] {
		if k != l.key[0] {
			return false
		}
	}
	return true
}

func (l *cbcLanes) underOne(n, rounds int) {
	switch rounds {
	case 10:
		encryptOne128(l, n)
	case 12:
		encryptOne192(l, n)
	default:
		encryptOne256(l, n)
	}
}

func (l *cbcLanes) underMany(n, rounds int, keys *laneKeys) {
	switch rounds {
	case 10:
		encrypt128(l, keys, n)
	case 12:
		encrypt192(l, keys, n)
	default:
		encrypt256(l, keys, n)
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
