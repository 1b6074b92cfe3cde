//go:build amd64 && !purego

package chachapoly

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// maxHead is the most associated data that are hashed in one step, in bytes.
const maxHead = 2 * hashBlock

// hashEdges is what eight packets' hashes begin and end with. The kernels know it. They read
// blocks as a whole and take the bytes that count.
type hashEdges struct {
	aad   [lanes]unsafe.Pointer // maxHead bytes
	tail  [lanes]unsafe.Pointer // the block with the last bytes of a ciphertext that are no block
	tag   [lanes]unsafe.Pointer
	sizes [2][lanes]uint64 // of associated data and of ciphertext
}

// apart are bytes of a packet that do not stand where a kernel can read them.
type apart struct {
	aad [maxHead]byte
	tag [tagSize]byte // of a lane that has no packet
}

// set prepares a packet's edges. A block with a tail ends in the tag's place, at the latest with
// it.
func (e *hashEdges) set(i int, m *message, p *ciphers.Packet, a *apart) {
	i &= lanes - 1
	e.tail[i], e.tag[i] = unsafe.Add(m.text, m.n&^(hashBlock-1)), unsafe.Add(m.text, m.n)
	e.sizes[0][i], e.sizes[1][i] = uint64(m.aad), uint64(m.n)
	if at := int(p.AADOff); m.aad == int(p.AADLen) && at+maxHead <= len(p.Buf) {
		e.aad[i] = unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.Buf)), at)
		return
	}
	e.aad[i] = unsafe.Pointer(&a.aad)
	n := copy(a.aad[:], p.Prefix)
	if p.AADLen != 0 {
		copy(a.aad[n:], p.Buf[p.AADOff:][:p.AADLen])
	}
}

// idle has a lane without a packet do what the first does, and write its tag elsewhere.
func (e *hashEdges) idle(i int, a *apart) {
	e.aad[i], e.tail[i], e.tag[i] = e.aad[0], e.tail[0], unsafe.Pointer(&a.tag)
	e.sizes[0][i], e.sizes[1][i] = e.sizes[0][0], e.sizes[1][0]
}
