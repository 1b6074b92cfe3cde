//go:build amd64 && !purego

package cbchmac

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// group is up to 16 packets that differ only in their keys and their bytes, as
// those of a burst mostly do. What they have in common is reckoned once, and the
// kernels read and write each packet where it stands. They know the fields in front
// of n.
type group struct {
	cbcLanes
	at   [lanes]unsafe.Pointer // the messages that are hashed
	icv  [lanes]unsafe.Pointer // where the ICVs go
	high [lanes]uint32         // the high halves of the sequence numbers
	division
	outer [8][lanes]uint32 // of the kernels alone
	start [8][lanes]uint32 // likewise

	n    int             // packets; the lanes behind them do once more what the first does
	icvs [lanes][16]byte // for opening
}

// division is how all messages of a group divide into blocks. The last ones have
// less than a block of the message, then under a key for it the high half of the
// sequence number, and padding.
type division struct {
	pad   [2][16]uint32 // the last blocks' padding
	bytes uint64        // a mask: which bytes of the first of them are the message's
	esn   uint64        // a mask: which word of it is the high half
	last  int           // how many they are, 1 or 2
	whole int           // blocks in front of them
}

// message is where the messages of a group stand.
type message struct {
	from       int // in the packet's buffer
	size       int // in bytes, without the high half of the sequence number
	ciphertext int // of these, at the end
	esn        bool
}

//go:noescape
func hmacSHA1x16(p *group)

//go:noescape
func hmacSHA256x16(p *group)

// take makes a group of the packets in front, 16 or all that there are. It reports
// false when they are not alike, not each in one piece, or too long.
func (g *group) take(j *job) bool {
	first := &j.Packets[j.Index[0]]
	m, ok := j.message(first)
	n := min(len(j.Index), lanes)
	if !ok || !alike(&j.Packets[j.Index[n-1]], first) || !g.divide(&m) {
		return false
	}
	g.n = n
	for i, at := range j.Index[:n] {
		p := &j.Packets[at]
		if !alike(p, first) {
			return false
		}
		g.point(i, p, &m, j)
	}
	for i := n; i < lanes; i++ {
		g.iv[i], g.src[i], g.dst[i], g.key[i] = g.iv[0], g.src[0], g.dst[0], g.key[0]
		g.at[i], g.icv[i], g.high[i] = g.at[0], g.icv[0], g.high[0]
	}
	return true
}

// message is the one of a packet, if it stands in one piece.
func (j *job) message(p *ciphers.Packet) (m message, ok bool) {
	m.ciphertext, m.esn = j.ciphertext(p), p.Key.ESN()
	m.size = int(p.AADLen) + p.Key.ExplicitSize() + m.ciphertext
	m.from, ok = inOnePiece(p, m.ciphertext)
	return m, ok
}

// alike reports that two packets of an algorithm differ only in what a group may.
func alike(p, q *ciphers.Packet) bool {
	return p.Len == q.Len && p.Off == q.Off && p.AADOff == q.AADOff && p.AADLen == q.AADLen && p.IVOff == q.IVOff &&
		len(p.Prefix) == 0 && (p.Key == q.Key || p.Key.ESN() == q.Key.ESN())
}

// point points lane i to its packet. The border has seen that what the packet names
// lies in its buffer.
func (g *group) point(i int, p *ciphers.Packet, m *message, j *job) {
	buf := unsafe.Pointer(unsafe.SliceData(p.Buf))
	g.key[i], g.high[i], g.at[i] = scheduleOf(p, j.Slot), p.High, unsafe.Add(buf, m.from)
	if j.opening {
		g.icv[i] = unsafe.Pointer(&g.icvs[i])
		return
	}
	payload := unsafe.Add(buf, p.Off)
	g.icv[i] = unsafe.Add(payload, m.ciphertext)
	if j.rounds == 0 {
		return
	}
	g.iv[i], g.src[i], g.dst[i] = unsafe.Add(buf, p.IVOff), payload, payload
	if p.Plain != nil {
		g.src[i] = unsafe.Pointer(unsafe.SliceData(p.Plain))
	}
}

// divide divides messages into blocks. It reports false when they are more than one
// call of a kernel may take, and when the high half of the sequence number would
// not be a word of its block.
func (g *division) divide(m *message) bool {
	end := m.size % hashBlock
	g.whole, g.bytes, g.esn = m.size/hashBlock, 1<<end-1, 0
	if g.whole+len(g.pad) > maxHashBlocks {
		return false
	}
	bits := 8 * uint32(hashBlock+m.size)
	if m.esn {
		if end%4 != 0 {
			return false
		}
		g.esn = 1 << (end / 4)
		end, bits = end+4, bits+8*4
	}
	g.last = (end + minPadding + hashBlock - 1) / hashBlock
	g.pad = [2][16]uint32{}
	g.pad[end/hashBlock][end%hashBlock/4] = 0x80000000 >> (end % 4 * 8)
	g.pad[g.last-1][15] = bits
	return true
}

// encrypt encrypts the payloads of a group.
func (g *group) encrypt(j *job, keys *laneKeys) {
	n := j.Packets[j.Index[0]].Len / blockSize
	if n != 0 {
		g.cbcLanes.encrypt(int(n), j.rounds, keys)
	}
}

// authenticate settles the packets of a group, the first of the job's, and returns
// how many are OK.
func (g *group) authenticate(j *job) (ok int) {
	if j.hash == hashSHA1 {
		hmacSHA1x16(g)
	} else {
		hmacSHA256x16(g)
	}
	for i, at := range j.Index[:g.n] {
		p := &j.Packets[at]
		if !j.opening {
			p.Status = ciphers.StatusOK
			ok++
		} else {
			ok += j.compare(p, g.icvs[i][:])
		}
	}
	return ok
}
