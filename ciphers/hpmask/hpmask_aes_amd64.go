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

// AES128VAES512 makes AES-128 masks on 512-bit registers. Sixteen packets in
// sequence under one key cost least; others load their own round keys. It needs
// RequiresVAES512.
//
// The schedules of its keys, like those of the other VAES tiers, are the round
// keys in the order of encryption, 16 bytes each, as FIPS 197 section 5.2 has
// them.
func AES128VAES512() ciphers.Masker { return aes128On512 }

// AES256VAES512 is AES128VAES512 for AES-256.
func AES256VAES512() ciphers.Masker { return aes256On512 }

// AES128VAES256 makes AES-128 masks on 256-bit registers, otherwise as
// AES128VAES512 does. It needs RequiresVAES256.
func AES128VAES256() ciphers.Masker { return aes128On256 }

// AES256VAES256 is AES128VAES256 for AES-256.
func AES256VAES256() ciphers.Masker { return aes256On256 }

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

func (k aesKernel) Mask(dst []byte, b ciphers.Burst) {
	to, packets, index := unsafe.SliceData(dst), unsafe.SliceData(b.Packets), unsafe.SliceData(b.Index)
	n, schedule := len(b.Index), ciphers.ScheduleOffset+b.Slot*ciphers.StateSize
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

// The kernels mask the n packets of the array at packets whose positions stand
// at index. schedule is the offset, in a Key, of the pointer to the schedule.

//go:noescape
func aes128VAES512(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func aes256VAES512(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func aes128VAES256(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)

//go:noescape
func aes256VAES256(dst *byte, packets *ciphers.Packet, index *byte, n, schedule int)
