//go:build amd64 && !purego

package hpmask

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/aeskey"
)

//go:generate env GOWORK=off go run -C _asm . -tier vaes512
//go:generate env GOWORK=off go run -C _asm . -tier vaes256

// aesKernel is one of the vector kernels that mask with AES.
type aesKernel uint8

const (
	aes128On512 aesKernel = iota
	aes256On512
	aes128On256
	aes256On256
)

// AES128VAES512 makes AES-128 masks on 512-bit registers. Rows of packets under one
// key cost least; others load their own round keys. It needs RequiresVAES512.
//
// The schedules of its keys, like those of the other VAES tiers, are the round
// keys in the order of encryption, 16 bytes each, as FIPS 197 section 5.2 has
// them.
func AES128VAES512() ciphers.RowMasker { return aes128On512 }

// AES256VAES512 is AES128VAES512 for AES-256.
func AES256VAES512() ciphers.RowMasker { return aes256On512 }

// AES128VAES256 makes AES-128 masks on 256-bit registers, otherwise as
// AES128VAES512 does. It needs RequiresVAES256.
func AES128VAES256() ciphers.RowMasker { return aes128On256 }

// AES256VAES256 is AES128VAES256 for AES-256.
func AES256VAES256() ciphers.RowMasker { return aes256On256 }

func (k aesKernel) ScheduleSize() int {
	if k == aes128On512 || k == aes128On256 {
		return 16 * (1 + 10)
	}
	return 16 * (1 + 14)
}

func (aesKernel) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	aeskey.Expand(st.Schedule(), spec.Key)
	return nil
}

// MaskRow gives the packets to the kernel for rows, which takes them all where they
// share a key.
func (k aesKernel) MaskRow(dst []byte, ps []ciphers.Packet) {
	if taken := k.row(unsafe.SliceData(dst), unsafe.SliceData(ps), len(ps)); taken != len(ps) {
		k.rest(dst, ps, taken)
	}
}

// rest goes on with one row after the other, and gives what is left where keys change
// too often for that to the kernel for packets anywhere.
func (k aesKernel) rest(dst []byte, ps []ciphers.Packet, done int) {
	for done < len(ps) {
		taken := k.row(&dst[ciphers.MaskSize*done], &ps[done], len(ps)-done)
		if taken == 0 {
			k.anywhere(dst, ps, ciphers.Identity(len(ps))[done:], slotOffset(ciphers.SlotBulk))
			return
		}
		done += taken
	}
}

func (k aesKernel) row(to *byte, packets *ciphers.Packet, n int) (taken int) {
	switch k {
	case aes128On512:
		return aes128VAES512Row(to, packets, n)
	case aes256On512:
		return aes256VAES512Row(to, packets, n)
	case aes128On256:
		return aes128VAES256Row(to, packets, n)
	}
	return aes256VAES256Row(to, packets, n)
}

func (k aesKernel) Mask(dst []byte, b ciphers.Burst) {
	k.anywhere(dst, b.Packets, b.Index, slotOffset(b.Slot))
}

func (k aesKernel) anywhere(dst []byte, ps []ciphers.Packet, at []uint8, schedule int) {
	to, packets, index, n := unsafe.SliceData(dst), unsafe.SliceData(ps), unsafe.SliceData(at), len(at)
	switch k {
	case aes128On512:
		aes128VAES512(to, packets, index, n, schedule)
	case aes256On512:
		aes256VAES512(to, packets, index, n, schedule)
	case aes128On256:
		aes128VAES256(to, packets, index, n, schedule)
	case aes256On256:
		aes256VAES256(to, packets, index, n, schedule)
	}
}

// slotOffset is where in a Key the address of the schedule lies.
func slotOffset(slot int) int { return ciphers.ScheduleOffset + slot*ciphers.StateSize }

// The kernels for rows are offered n packets, at least one, and return how many they
// took.

//go:noescape
func aes128VAES512Row(dst *byte, packets *ciphers.Packet, n int) (taken int)

//go:noescape
func aes256VAES512Row(dst *byte, packets *ciphers.Packet, n int) (taken int)

//go:noescape
func aes128VAES256Row(dst *byte, packets *ciphers.Packet, n int) (taken int)

//go:noescape
func aes256VAES256Row(dst *byte, packets *ciphers.Packet, n int) (taken int)

// The others mask the n packets of the array at packets whose positions stand
// at index. schedule is the offset, in a Key, of the pointer to the schedule.

//go:noescape
func aes128VAES512(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func aes256VAES512(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func aes128VAES256(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func aes256VAES256(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)
