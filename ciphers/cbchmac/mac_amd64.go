//go:build amd64 && !purego

package cbchmac

import (
	"crypto/subtle"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

//go:generate env GOWORK=off go run -C _asm . -part sha

const (
	hashBlock = 64
	// maxHashBlocks bounds a call of the kernels to about 20 µs.
	maxHashBlocks = 48
)

// macHash is the hash function of a tier, as its words of state.
type macHash int

const (
	hashSHA1   macHash = 5
	hashSHA256 macHash = 8
)

// macLanes is what 16 packets are authenticated in at once, one in each lane:
// first their inner hashes, which take as long as the packets are, and as soon as
// 16 are complete the outer ones. The kernels know the fields in front.
type macLanes struct {
	state [8][lanes]uint32 // by word, then by lane
	at    [lanes]unsafe.Pointer

	left  [lanes]int // blocks at at
	lane  [lanes]macLane
	outer outerLanes
}

// outerLanes is the inner hashes that are complete. The kernels know the fields in
// front of n.
type outerLanes struct {
	inner  [8][lanes]uint32
	key    [lanes]*schedule
	macs   [lanes][hashBlock]byte // the HMACs, and bytes without meaning behind them
	start  [8][lanes]uint32       // of the kernels alone
	n      int
	packet [lanes]*ciphers.Packet
}

//go:noescape
func compressSHA1x16(l *macLanes, n int)

//go:noescape
func compressSHA256x16(l *macLanes, n int)

//go:noescape
func outerSHA1x16(o *outerLanes)

//go:noescape
func outerSHA256x16(o *outerLanes)

// authenticate sets the Status of the job's packets and returns how many are OK.
// A lane that is done takes the next packet, so that packets of any lengths fill
// the lanes.
func (l *macLanes) authenticate(j *job) (ok int) {
	next, busy := 0, 0
	for {
		for i := range l.left {
			if l.left[i] != 0 {
				continue
			}
			m := &l.lane[i]
			if m.packet != nil {
				if !m.padded {
					l.place(i, m.message())
					continue
				}
				if l.park(i); l.outer.n == lanes {
					ok += l.outer.finish(j)
				}
				busy--
			}
			if next < len(j.Index) {
				l.take(i, &j.Packets[j.Index[next]], j)
				next++
				busy++
			}
		}
		if busy == 0 {
			return ok + l.outer.finish(j)
		}
		l.run(j.hash)
	}
}

// take puts a packet into a lane.
func (l *macLanes) take(i int, p *ciphers.Packet, j *job) {
	m := &l.lane[i]
	m.start(p, j.ciphertext(p))
	m.key = scheduleOf(p, j.Slot)
	l.load(i, &m.key.inner)
	l.place(i, m.message())
}

// load gives a lane that state.
func (l *macLanes) load(i int, state *[8]uint32) {
	for w, v := range state {
		l.state[w][i] = v
	}
}

// place points a lane to its input, whole blocks.
func (l *macLanes) place(i int, input []byte) {
	l.at[i], l.left[i] = unsafe.Pointer(unsafe.SliceData(input)), len(input)/hashBlock
}

// park frees a lane whose inner hash is complete.
func (l *macLanes) park(i int) {
	o, m := &l.outer, &l.lane[i]
	for w := range o.inner {
		o.inner[w][o.n] = l.state[w][i]
	}
	o.key[o.n], o.packet[o.n] = m.key, m.packet
	o.n++
	m.packet = nil
}

// run compresses as many blocks as every busy lane has. Lanes without a packet
// repeat a busy one's input; what they make of it is never looked at.
func (l *macLanes) run(h macHash) {
	n, some := maxHashBlocks, 0
	for i, left := range l.left {
		if left != 0 {
			n, some = min(n, left), i
		}
	}
	for i, left := range l.left {
		if left == 0 {
			l.at[i] = l.at[some]
		}
	}
	if h == hashSHA1 {
		compressSHA1x16(l, n)
	} else {
		compressSHA256x16(l, n)
	}
	for i, left := range l.left {
		if left > n {
			l.at[i] = unsafe.Add(l.at[i], n*hashBlock)
		}
		l.left[i] = max(left-n, 0)
	}
}

// finish computes the outer hashes and settles their packets.
func (o *outerLanes) finish(j *job) (ok int) {
	if o.n == 0 {
		return 0
	}
	for i := o.n; i < lanes; i++ {
		o.key[i] = o.key[0]
	}
	if j.hash == hashSHA1 {
		outerSHA1x16(o)
	} else {
		outerSHA256x16(o)
	}
	for i, p := range o.packet[:o.n] {
		ok += j.settle(p, &o.macs[i])
	}
	o.n = 0
	return ok
}

// settle writes the ICV into a packet, or compares it with the one that is there.
// It returns 1 for success.
func (j *job) settle(p *ciphers.Packet, mac *[hashBlock]byte) int {
	if j.opening {
		return j.compare(p, mac[:])
	}
	copy(p.Sealed(p.Key.TagSize())[p.Len:], mac[:])
	p.Status = ciphers.StatusOK
	return 1
}

// compare sets the Status of a packet by its ICV, and zeroes the plaintext's place
// when it is another. It returns 1 for success.
func (j *job) compare(p *ciphers.Packet, mac []byte) int {
	tag := p.Key.TagSize()
	received := p.Received()
	if subtle.ConstantTimeCompare(received[len(received)-tag:], mac[:tag]) == 1 {
		p.Status = ciphers.StatusOK
		return 1
	}
	p.Status = ciphers.StatusAuth
	clear(p.Opened(tag))
	return 0
}
