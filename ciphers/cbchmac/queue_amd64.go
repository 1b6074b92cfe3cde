//go:build amd64 && !purego

package cbchmac

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// cbcQueue encrypts packets of any lengths.
type cbcQueue struct {
	cbcLanes
	left  [lanes]int       // blocks that the lane still has to encrypt
	under [lanes]*schedule // whose round keys the lane has, if any
}

// encrypt encrypts the payloads of a job's burst. A lane that is done takes the next
// packet, so that packets of any lengths fill the lanes.
func (q *cbcQueue) encrypt(j *job, keys *laneKeys) {
	next := 0
	for {
		least, some := 0, -1
		for i := range q.left {
			for q.left[i] == 0 && next < len(j.Index) {
				q.take(i, &j.Packets[j.Index[next]], j.Slot)
				next++
			}
			if n := q.left[i]; n != 0 && (some < 0 || n < least) {
				least, some = n, i
			}
		}
		if some < 0 {
			return
		}
		q.run(min(least, maxBlocks), some, j.rounds, keys)
	}
}

// take puts a packet into a lane.
func (q *cbcQueue) take(i int, p *ciphers.Packet, slot int) {
	src, dst := p.Plaintext(), p.Buf[p.Off:]
	q.iv[i] = unsafe.Pointer(unsafe.SliceData(p.IV()))
	q.src[i], q.dst[i] = unsafe.Pointer(unsafe.SliceData(src)), unsafe.Pointer(unsafe.SliceData(dst))
	q.key[i] = scheduleOf(p, slot)
	q.left[i] = len(src) / blockSize
}

// run encrypts n blocks in every lane. Lanes without a packet do once more what
// lane some does: all read before one writes, so that nothing else comes of it.
func (q *cbcQueue) run(n, some, rounds int, keys *laneKeys) {
	one := true
	for i := range q.left {
		if q.left[i] == 0 {
			q.iv[i], q.src[i], q.dst[i], q.key[i] = q.iv[some], q.src[some], q.dst[some], q.key[some]
		}
		one = one && q.key[i] == q.key[0]
	}
	if one {
		q.underOne(n, rounds)
	} else {
		q.renew(rounds, keys)
		q.underMany(n, rounds, keys)
	}
	for i := range q.left {
		if q.left[i] <= n {
			q.left[i] = 0
			continue
		}
		q.iv[i] = unsafe.Add(q.dst[i], (n-1)*blockSize)
		q.src[i], q.dst[i] = unsafe.Add(q.src[i], n*blockSize), unsafe.Add(q.dst[i], n*blockSize)
		q.left[i] -= n
	}
}

// renew gives round keys to the lanes that have those of another key.
func (q *cbcQueue) renew(rounds int, keys *laneKeys) {
	keys.used = rounds + 1
	for i, k := range q.key {
		if q.under[i] != k {
			q.under[i] = k
			replace(&keys.rounds[0][i&^3][0], &k.rounds[0][0], 0xf<<(i&3*4), keys.used)
		}
	}
}
