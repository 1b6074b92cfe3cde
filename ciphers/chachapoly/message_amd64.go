//go:build amd64 && !purego

package chachapoly

import (
	"encoding/binary"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// message is what the kernels have to know of a packet. The border has seen that what the
// packet names lies in its buffers.
type message struct {
	key      *byte
	iv       [2]uint64 // words 12 to 15 of block 0 (RFC 8439 section 2.3)
	src, dst unsafe.Pointer
	text     unsafe.Pointer // the ciphertext: src or dst
	n        int            // bytes of payload
	aad      int            // bytes of associated data
	ahead    []byte         // key stream that is there already, from the first block behind stretches on
}

func (m *message) set(p *ciphers.Packet, slot int, opening bool) {
	nonce := p.Nonce()
	m.key = unsafe.SliceData(p.Key.State(slot).Schedule())
	m.iv[0] = uint64(binary.LittleEndian.Uint32(nonce[:])) << 32
	m.iv[1] = binary.LittleEndian.Uint64(nonce[4:])
	m.n, m.aad = int(p.Len), len(p.Prefix)+int(p.AADLen)
	m.text = unsafe.Add(unsafe.Pointer(unsafe.SliceData(p.Buf)), p.Off)
	m.src, m.dst, m.ahead = m.text, m.text, nil
	if opening {
		m.n -= tagSize
	}
	if p.Plain == nil {
		return
	}
	if plain := unsafe.Pointer(unsafe.SliceData(p.Plain)); opening {
		m.dst = plain
	} else {
		m.src = plain
	}
}

// block is words 12 to 15 of a block: the counter and the nonce.
func (m *message) block(counter int) [2]uint64 { return [2]uint64{m.iv[0] + uint64(counter), m.iv[1]} }
