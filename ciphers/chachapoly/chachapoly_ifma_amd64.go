//go:build amd64 && !purego

package chachapoly

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
	"golang.org/x/crypto/chacha20poly1305"
)

//go:generate env GOWORK=off go run -C _asm . -tier ifma

// RequiresIFMA is what the tier of IFMA needs of the processor and the
// operating system.
const RequiresIFMA = cpu.AVX | cpu.AVX512F | cpu.AVX512BW | cpu.AVX512DQ | cpu.AVX512VL | cpu.AVX512IFMA | cpu.ZMM

// IFMA is the tier on 512-bit registers. ChaCha20 computes 16 blocks at once, of
// whichever packets and keys, and Poly1305 hashes eight packets at once on the 52-bit
// multiplier. Packets that would fill few of these lanes go to Std, of which each key
// keeps an object too. It needs RequiresIFMA.
func IFMA() ciphers.AEAD { return ifma{Std(), lone} }

// ifma is the tier with the portable one that it gives few packets to.
type ifma struct {
	portable ciphers.AEAD
	lone     int // how many packets are few; with -1 the kernels take all that they can
}

// lone is up to how many packets are better left to the portable tier. Three gain 1.1 to
// 1.4 times when sealed and 1.0 to 1.4 times when opened, at 16 to 8192 bytes; two short
// ones lose.
const lone = 2

func (ifma) ScheduleSize() int { return chacha20poly1305.KeySize }

func (a ifma) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	copy(st.Schedule(), spec.Key)
	return a.portable.Expand(st, spec)
}

func (a ifma) Seal(b ciphers.Burst) int {
	if len(b.Index) <= a.lone {
		return a.portable.Seal(b)
	}
	return a.run(b, false)
}

func (a ifma) Open(b ciphers.Burst) int {
	if len(b.Index) <= a.lone {
		return a.portable.Open(b)
	}
	return a.run(b, true)
}

// run takes a burst in parts of equal size.
func (a ifma) run(b ciphers.Burst, opening bool) (ok int) {
	w := works.Get().(*work)
	parts := (len(b.Index) + maxPart - 1) / maxPart
	for rest := b.Index; len(rest) > 0; parts-- {
		n := (len(rest) + parts - 1) / parts
		w.take(ciphers.Burst{Packets: b.Packets, Index: rest[:n], Slot: b.Slot}, opening, a.lone)
		ok += w.run() + w.runAlone(a.portable)
		rest = rest[n:]
	}
	w.done()
	return ok
}

// What the kernels know of the types that they are given: each line fails to compile
// when it moves.
var (
	_ [48]byte  = [unsafe.Sizeof(blockLane{})]byte{}
	_ [16]byte  = [unsafe.Offsetof(blockLane{}.key)]byte{}
	_ [24]byte  = [unsafe.Offsetof(blockLane{}.src)]byte{}
	_ [32]byte  = [unsafe.Offsetof(blockLane{}.dst)]byte{}
	_ [40]byte  = [unsafe.Offsetof(blockLane{}.mask)]byte{}
	_ [192]byte = [unsafe.Offsetof(hashLanes{}.square)]byte{}
	_ [384]byte = [unsafe.Offsetof(hashLanes{}.hash)]byte{}
	_ [576]byte = [unsafe.Offsetof(hashLanes{}.s)]byte{}
	_ [64]byte  = [unsafe.Offsetof(hashEdges{}.tail)]byte{}
	_ [128]byte = [unsafe.Offsetof(hashEdges{}.tag)]byte{}
	_ [192]byte = [unsafe.Offsetof(hashEdges{}.sizes)]byte{}
)

//go:noescape
func chachaLanes(sets *blockLane, n int)

//go:noescape
func chachaStretch(dst, src unsafe.Pointer, key *byte, iv *[2]uint64, n int)

//go:noescape
func hashStart(l *hashLanes, keys *[lanes]oneTimeKey, edges *hashEdges)

//go:noescape
func hashBlocks(l *hashLanes, at *[lanes]unsafe.Pointer, n, lanes int)

//go:noescape
func hashSeal(l *hashLanes, edges *hashEdges)

//go:noescape
func hashOpen(l *hashLanes, edges *hashEdges) (equal int)
