//go:build amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x || wasm

package ciphers

import "unsafe"

// What kernels know of a Packet and a Key, in bytes. Where pointers have 4 there
// are no kernels, and neither layout nor names.
const (
	PacketSize     = 128
	BulkOffset     = 40 // of the pointer to the schedule of SlotBulk again, in the first cache line
	ScheduleOffset = 64 // of the first schedule's pointer in a Key
	StateSize      = 32 // from one schedule's pointer to the next
)

// Each line fails to compile when what it names moves.
var (
	_ [PacketSize]byte = [unsafe.Sizeof(Packet{})]byte{}
	_ [64]byte         = [unsafe.Offsetof(Packet{}.Prefix)]byte{}
	_ [88]byte         = [unsafe.Offsetof(Packet{}.Number)]byte{}
	_ [96]byte         = [unsafe.Offsetof(Packet{}.nonce)]byte{}
	_ [112]byte        = [unsafe.Offsetof(Packet{}.Len)]byte{}
	_ [116]byte        = [unsafe.Offsetof(Packet{}.Off)]byte{}
	_ [126]byte        = [unsafe.Offsetof(Packet{}.Status)]byte{}
	_ [127]byte        = [unsafe.Offsetof(Packet{}.Memory)]byte{}

	_ [27]byte             = [unsafe.Offsetof(Key{}.spec) + unsafe.Offsetof(compactSpec{}.tag)]byte{}
	_ [BulkOffset]byte     = [unsafe.Offsetof(Key{}.bulk)]byte{}
	_ [ScheduleOffset]byte = [unsafe.Offsetof(Key{}.states)]byte{}
	_ [StateSize]byte      = [unsafe.Sizeof(State{})]byte{}
	_ [0]byte              = [unsafe.Offsetof(State{}.schedule)]byte{}
)
