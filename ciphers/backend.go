package ciphers

import "github.com/sealburst/sealburst/ciphers/cpu"

// Burst is the part of a burst that one implementation serves: the packets of
// Packets that Index names, in that order. All of them passed the border, and
// their keys have the implementation in slot Slot. Index has no duplicate and
// may be in any order; it belongs to the engine and is not to be written.
type Burst struct {
	Packets []Packet
	Index   []uint8
	Slot    int
}

// Identity are the first n indexes in order, for bursts that one implementation
// serves whole. n is at most MaxBurst.
func Identity(n int) []uint8 { return identity[:n:n] }

var identity = func() (t [MaxBurst]uint8) {
	for i := range t {
		t[i] = uint8(i)
	}
	return t
}()

// Implementation serves one algorithm. Its methods are safe for concurrent use
// on different packets, under the same key too, and allocate nothing but in
// Expand.
type Implementation interface {
	// ScheduleSize is the bytes of storage that an expanded key takes.
	ScheduleSize() int
	// Expand fills st.Schedule, and st.Object where the implementation has one,
	// for a spec that passed Check. It keeps no reference to the spec. spec.TagSize may
	// be 0, which means the full tag, the first of Algorithm.TagSizes.
	Expand(st *State, spec *KeySpec) error
}

// AEAD seals and opens bursts under keys of every nonce and tag size that the
// algorithm has.
//
// Both methods set the Status of every packet of the burst and return how many
// are StatusOK. Neither touches a byte outside what Packet documents. Seal
// fails only by StatusBackend. Open compares tags in constant time and gives
// StatusAuth to a packet that is not authentic, whose plaintext bytes are zero
// afterwards; its neighbours are not affected.
type AEAD interface {
	Implementation
	Seal(b Burst) int
	Open(b Burst) int
}

// MinRow is the fewest packets that the border says are alike. With fewer, the detour
// costs more than it saves.
const MinRow = 4

// RowAEAD is an AEAD that takes whole bursts of packets that are alike as they are. The
// engine hands it those of which the border says so: they have the key, the lengths and
// the offsets of the first, no Prefix, and their associated data in front of the payload.
// It takes any number of them.
type RowAEAD interface {
	AEAD
	// SealRow and OpenRow do with all of ps, at least one, what Seal and Open do with a
	// burst of them in that slot.
	SealRow(ps []Packet, slot int) int
	OpenRow(ps []Packet, slot int) int
}

// Masker makes header-protection masks.
type Masker interface {
	Implementation
	// Mask writes the mask of packet i of b.Packets to dst[16*i:16*i+16], for
	// each i in b.Index. dst has room.
	Mask(dst []byte, b Burst)
}

// RowMasker is a Masker that takes whole bursts as they are. The engine hands it those
// all of whose packets are valid and have its keys: there is no index to follow, and
// what there is to hand over fits into registers.
type RowMasker interface {
	Masker
	// MaskRow writes the mask of packet i of ps, at least one, to dst[16*i:16*i+16]. dst
	// has room, and the keys have the implementation in SlotBulk.
	MaskRow(dst []byte, ps []Packet)
}

// MaskSealer is an AEAD that can make the masks of what it seals in the same
// pass. The engine uses it for whole bursts whose mask keys have an implementation
// that MasksWith accepts; others it seals and then masks.
type MaskSealer interface {
	AEAD
	// MasksWith reports whether SealMask can use that implementation's mask keys.
	MasksWith(m Masker) bool
	// SealMask seals all of ps, at least one, whose keys have the implementations in
	// SlotBulk, as Seal does, and writes masks as RowMasker.MaskRow does. alike is what
	// SealMaskBorder said of them. When it returns less than len(ps), the masks of those
	// that failed are not to be used.
	SealMask(dst []byte, ps []Packet, alike bool) int
}

// Backend is a named set of implementations. The engine takes each algorithm
// from the first backend, by descending PriorityOf, that has it, whose Requires
// the processor fulfils and whose implementation passes the self-test. What Check
// says is wrong, the engine refuses whole.
type Backend struct {
	Name     string // by which pins and reports know it: not empty, without '=', ',' and spaces
	Priority int
	// Priorities take the place of Priority for the algorithms that they name, in
	// which the backend stands otherwise among the others. They are measured.
	Priorities map[Algorithm]int
	Requires   cpu.Set            // every feature that any of its implementations uses
	AEADs      map[Algorithm]AEAD // those that are Asynchronous are a device's
	Masks      map[Algorithm]Masker
	// Exchanges are the key-exchange groups.
	Exchanges map[Algorithm]Exchanger
	// Lone says, for an algorithm in AEADs or Exchanges, up to how many packets a
	// burst is better served by the next backend that has the algorithm. It is measured
	// and stands as a constant in the backend's source; 0 means never.
	Lone map[Algorithm]int
	// Probe, where not nil, says why the backend cannot run here: a library or
	// device that is missing.
	Probe func() error
}

// PriorityOf is the backend's priority for an algorithm.
func (b *Backend) PriorityOf(alg Algorithm) int {
	if p, own := b.Priorities[alg]; own {
		return p
	}
	return b.Priority
}
