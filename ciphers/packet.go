package ciphers

const (
	// MaxBurst is the most packets that one call takes.
	MaxBurst = 256
	// MaxPayload is the longest plaintext of a packet in bytes: 4096 blocks of AES or
	// 1024 of ChaCha20. Block counters of 32 bits start at 0 to 2, and so no packet
	// makes one wrap, in whatever way its mode would have it do so.
	MaxPayload = 1<<16 - 1
	// MaxTag is the longest tag of an AEAD in bytes.
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
// needs room for both. Opening takes Len bytes at Off, tag included, of which the
// plaintext is Len less the tag. Len itself is never changed: who opens what the
// same descriptor sealed adds the tag's length. Plain says where the plaintext lies when it is
// not in place: what is sealed is read from its start, what is opened is
// written there. The associated data are Prefix followed by AADLen bytes at
// AADOff.
//
// Descriptors are meant to be reused. The engine writes only Status, the nonce,
// and what sealing and opening must write into Buf or Plain; a field that stays
// the same from burst to burst need not be written again. A descriptor belongs
// to the call while one runs.
//
// Prefix must not overlap the payload, and Plain, beside being the payload
// itself, nothing that the call reads or writes in Buf. The buffers of different
// packets must not overlap where one is written.
//
// The layout is two cache lines, 128 bytes, where pointers have 8. Kernels know
// it; layout.go holds it still.
type Packet struct {
	Buf     []byte // the packet on the wire
	Plain   []byte // the plaintext's place; nil for in place
	Key     *Key   // the AEAD key, of the direction that the call needs
	MaskKey *Key   // the header-protection key, for masks; it outlives AEAD keys

	Prefix    []byte   // associated data outside Buf that come first
	Number    uint64   // the record number, whole: epoch and sequence, or packet number
	nonce     [12]byte // derived at the border; of a 13-byte nonce the last 12
	High      uint32   // the 4 bytes above Number in the nonce, 3 in one of 11 bytes: a path identifier; with KeySpec.ESN the sequence number's high half
	Len       uint32   // the payload's length: plaintext to seal, ciphertext and tag to open
	Off       uint16   // where the payload starts
	AADOff    uint16   // where the associated data in Buf start
	AADLen    uint16   // how many bytes they are
	IVOff     uint16   // where an explicit nonce or IV lies
	SampleOff uint16   // where the sample of the mask starts
	Status    Status   // the outcome
	Memory    Memory   // where Buf and Plain lie; the zero value is right for any memory
}
