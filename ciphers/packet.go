package ciphers

import "unsafe"

const (
	// MaxBurst is the most packets that one call takes.
	MaxBurst = 256
	// MaxPayload is the longest plaintext of a packet in bytes.
	MaxPayload = 1<<16 - 1
	// MaxTag is the longest tag of any algorithm in bytes.
	MaxTag = 16
	// MaxAAD is the most associated data of a packet in bytes, Prefix included.
	MaxAAD = 1<<16 - 1
	// MaskSize is the length of a header-protection mask and of its sample in
	// bytes. QUIC uses the first 5 bytes of a mask, DTLS 1.3 the first 2.
	MaskSize = 16
)

// Packet describes one record of a burst. Buf is the packet as it stands on the
// wire: header, explicit nonce, ciphertext and tag lie there, and the header's
// bytes are the caller's. All offsets count from its start.
//
// Sealing encrypts Len bytes and writes ciphertext and then tag at Off; Buf
// needs room for both. Opening takes Len bytes at Off, tag included, and leaves
// Len less the tag of plaintext. Plain says where the plaintext lies when it is
// not in place: what is sealed is read from its start, what is opened is
// written there. The associated data are Prefix followed by AADLen bytes at
// AADOff.
//
// Descriptors are meant to be reused. The engine writes only Status, the nonce,
// and what sealing and opening must write into Buf or Plain; a field that stays
// the same from burst to burst need not be written again. A descriptor belongs
// to the call while one runs.
//
// The layout is two cache lines, 128 bytes. Kernels know it; layout_test.go and
// the assertions below hold it still.
type Packet struct {
	Buf     []byte // the packet on the wire
	Plain   []byte // the plaintext's place; nil for in place
	Key     *Key   // the AEAD key, of the direction that the call needs
	MaskKey *Key   // the header-protection key, for masks; it outlives AEAD keys

	Prefix    []byte   // associated data outside Buf that come first
	Number    uint64   // the record number, whole: epoch and sequence, or packet number
	nonce     [12]byte // derived at the border; of a 13-byte nonce the last 12
	High      uint32   // the 4 bytes above Number in the nonce: a path identifier
	Len       uint32   // the payload's length: plaintext to seal, ciphertext and tag to open
	Off       uint16   // where the payload starts
	AADOff    uint16   // where the associated data in Buf start
	AADLen    uint16   // how many bytes they are
	IVOff     uint16   // where an explicit nonce or IV lies
	SampleOff uint16   // where the sample of the mask starts
	Status    Status   // the outcome
	_         uint8
}

// PacketSize is the size of a Packet in bytes.
const PacketSize = 128

// The layout that kernels rely on: each line fails to compile when it moves.
var (
	_ [PacketSize]byte = [unsafe.Sizeof(Packet{})]byte{}
	_ [64]byte         = [unsafe.Offsetof(Packet{}.Prefix)]byte{}
	_ [88]byte         = [unsafe.Offsetof(Packet{}.Number)]byte{}
	_ [96]byte         = [unsafe.Offsetof(Packet{}.nonce)]byte{}
	_ [112]byte        = [unsafe.Offsetof(Packet{}.Len)]byte{}
	_ [116]byte        = [unsafe.Offsetof(Packet{}.Off)]byte{}
	_ [126]byte        = [unsafe.Offsetof(Packet{}.Status)]byte{}
)
