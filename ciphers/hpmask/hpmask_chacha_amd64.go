//go:build amd64 && !purego

package hpmask

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20"
)

//go:generate env GOWORK=off go run -C _asm . -tier avx512
//go:generate env GOWORK=off go run -C _asm . -tier avx2

// chachaKernel is one of the pairs of vector kernels that mask with ChaCha20:
// columns for full registers, rows for a few packets.
type chachaKernel uint8

const (
	chacha20On512 chachaKernel = iota
	chacha20On256
)

// ChaCha20AVX512 makes ChaCha20 masks sixteen packets at a time, each under a key
// of its own if need be. Up to four packets take half the time of sixteen. It
// needs RequiresAVX512.
func ChaCha20AVX512() ciphers.RowMasker { return chacha20On512 }

// ChaCha20AVX2 makes ChaCha20 masks eight packets at a time, otherwise as
// ChaCha20AVX512 does; up to two take half the time. It needs RequiresAVX2.
func ChaCha20AVX2() ciphers.RowMasker { return chacha20On256 }

func (chachaKernel) ScheduleSize() int { return chacha20.KeySize }

func (chachaKernel) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	copy(st.Schedule(), spec.Key)
	return nil
}

func (k chachaKernel) Mask(dst []byte, b ciphers.Burst) {
	k.anywhere(dst, b.Packets, b.Index, b.Slot)
}

func (k chachaKernel) MaskRow(dst []byte, ps []ciphers.Packet) {
	k.anywhere(dst, ps, ciphers.Identity(len(ps)), ciphers.SlotBulk)
}

func (k chachaKernel) anywhere(dst []byte, ps []ciphers.Packet, index []uint8, slot int) {
	full := len(index) &^ (k.lanes() - 1)
	if full != 0 {
		k.columns(dst, ps, index[:full], slot)
	}
	if full != len(index) {
		k.rest(dst, ps, index[full:], slot)
	}
}

// lanes is how many packets columns takes at a time; rows takes a quarter.
func (k chachaKernel) lanes() int {
	if k == chacha20On512 {
		return 16
	}
	return 8
}

// rest masks fewer packets than columns takes. The places that are left repeat
// the last one, whose mask is made, and stored, more than once.
func (k chachaKernel) rest(dst []byte, packets []ciphers.Packet, index []uint8, slot int) {
	var padded [16]uint8
	for i := copy(padded[:], index); i < len(padded); i++ {
		padded[i] = index[len(index)-1]
	}
	if quarter := k.lanes() / 4; len(index) <= quarter {
		k.rows(dst, packets, padded[:quarter], slot)
		return
	}
	k.columns(dst, packets, padded[:k.lanes()], slot)
}

func (k chachaKernel) columns(dst []byte, packets []ciphers.Packet, index []uint8, slot int) {
	to, from, schedule := unsafe.SliceData(dst), unsafe.SliceData(packets), ciphers.ScheduleOffset+slot*ciphers.StateSize
	if k == chacha20On512 {
		chachaColumnsAVX512(to, from, unsafe.SliceData(index), len(index), schedule)
		return
	}
	chachaColumnsAVX2(to, from, unsafe.SliceData(index), len(index), schedule)
}

func (k chachaKernel) rows(dst []byte, packets []ciphers.Packet, index []uint8, slot int) {
	to, from, schedule := unsafe.SliceData(dst), unsafe.SliceData(packets), ciphers.ScheduleOffset+slot*ciphers.StateSize
	if k == chacha20On512 {
		chachaRowsAVX512(to, from, unsafe.SliceData(index), len(index), schedule)
		return
	}
	chachaRowsAVX2(to, from, unsafe.SliceData(index), len(index), schedule)
}

// The kernels mask the n packets of the array at packets whose positions stand
// at index. schedule is the offset, in a Key, of the pointer to the schedule.

//go:noescape
func chachaColumnsAVX512(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func chachaRowsAVX512(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func chachaColumnsAVX2(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func chachaRowsAVX2(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)
