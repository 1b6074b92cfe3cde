package ciphers

import (
	"sync/atomic"
	"unsafe"
)

// Owner is who runs bursts with a key. The engine is one.
type Owner interface {
	// Quiesce waits until every burst that had begun when it was called is over.
	Quiesce()
	// Forget is told last, of a key that is closed and zero.
	Forget(k *Key)
}

// Key is one key in one direction, or a mask key, bound to its plan.
//
// The first cache line is all that the border reads for a packet, and kernels too,
// if SlotBulk is theirs: bulk is the pointer to its schedule again, at BulkOffset.
// That of slot i is at ScheduleOffset + i*StateSize.
type Key struct {
	iv         [12]byte // NonceXOR: the last 12 bytes of IV; NonceExplicit: the salt, then zero
	explicit   uint8    // bytes of the nonce that travel in the packet
	partial    uint8    // the bits of a payload's length that must be zero
	esn        bool
	_          uint8
	closed     atomic.Uint32
	maxPayload uint32
	spec       compactSpec
	plan       *Plan
	bulk       unsafe.Pointer
	owner      Owner

	states [2]State
}

type compactSpec struct {
	algorithm Algorithm
	direction Direction
	form      NonceForm
	tag       uint8
	nonce     uint8     // the nonce's length
	salt      uint8     // NonceExplicit: the salt's length
	lead      uint8     // the first byte of a 13-byte nonce
	quick     Direction // the direction again, if the quick checks may take the key; else zero
}

// NewKey makes the key that spec describes and expands it for plan's
// implementations. owner may be nil when the caller sees to it that no burst
// runs while the key closes.
func NewKey(spec *KeySpec, plan *Plan, owner Owner) (*Key, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	if err := plan.check(spec.Algorithm); err != nil {
		return nil, err
	}
	k := &Key{plan: plan, owner: owner}
	k.setSpec(spec)
	if err := k.expand(spec); err != nil {
		k.erase()
		return nil, err
	}
	return k, nil
}

func (k *Key) setSpec(s *KeySpec) {
	n := s.nonceSize()
	k.maxPayload = s.Algorithm.maxPayload(n)
	k.spec = compactSpec{algorithm: s.Algorithm, direction: s.Direction, form: s.Nonce, tag: uint8(s.TagSize), nonce: uint8(n)}
	if s.TagSize == 0 && !s.Algorithm.IsMask() {
		k.spec.tag = uint8(s.Algorithm.traits().tags[0])
	}
	switch s.Nonce {
	case NonceExplicit:
		k.spec.salt, k.explicit = uint8(len(s.IV)), ExplicitSize
	case NonceDrawn:
		k.explicit = k.spec.nonce
	}
	k.partial, k.esn = uint8(s.Algorithm.BlockSize()-1), s.ESN
	if k.partial == 0 && (s.Nonce == NonceXOR && n != shortNonce || s.Nonce == NonceExplicit) {
		k.spec.quick = s.Direction
	}
	iv := s.IV
	if len(iv) == 13 {
		k.spec.lead, iv = iv[0], iv[1:]
	}
	copy(k.iv[:], iv)
}

func (k *Key) expand(s *KeySpec) error {
	for slot, impl := range k.plan.implementations() {
		if impl == nil {
			continue
		}
		st := &k.states[slot]
		st.allocate(impl.ScheduleSize())
		if err := impl.Expand(st, s); err != nil {
			return err
		}
	}
	k.bulk = k.states[SlotBulk].schedule
	return nil
}

// Algorithm is what the key is for.
func (k *Key) Algorithm() Algorithm { return k.spec.algorithm }

// Direction is Sealing or Opening, or zero for a mask key.
func (k *Key) Direction() Direction { return k.spec.direction }

// TagSize is how many bytes sealing adds.
func (k *Key) TagSize() int { return int(k.spec.tag) }

// NonceSize is the length of the nonce in bytes.
func (k *Key) NonceSize() int { return int(k.spec.nonce) }

// Lead is the first byte of a 13-byte nonce; the other 12 are the packet's.
func (k *Key) Lead() byte { return k.spec.lead }

// ExplicitSize is how many bytes of the nonce travel in the packet: none with
// NonceXOR, 8 with NonceExplicit, a block of the cipher with NonceDrawn.
func (k *Key) ExplicitSize() int { return int(k.explicit) }

// ESN reports that ICVs cover Packet.High.
func (k *Key) ESN() bool { return k.esn }

// Plan is the plan that the key is bound to.
func (k *Key) Plan() *Plan { return k.plan }

// State is what the implementation in that slot keeps for the key.
func (k *Key) State(slot int) *State { return &k.states[slot] }

// Size is how many bytes of memory the key takes, as far as this package knows:
// a library's own objects are not counted.
func (k *Key) Size() int {
	return int(unsafe.Sizeof(*k)) + k.states[0].size + k.states[1].size
}

// Close refuses the key to bursts that have not begun, waits for those that
// have, and zeroes it. It must not be called from within a burst. Closing
// twice is allowed; the second call does nothing and does not wait for the
// first.
func (k *Key) Close() {
	if !k.closed.CompareAndSwap(0, 1) {
		return
	}
	if k.owner != nil {
		k.owner.Quiesce()
	}
	k.erase()
	if k.owner != nil {
		k.owner.Forget(k)
	}
}

func (k *Key) erase() {
	for i := range k.states {
		st := &k.states[i]
		clear(st.Schedule())
		if r, ok := st.Object.(Releaser); ok {
			r.Release()
		}
		st.Object = nil
	}
	clear(k.iv[:])
	k.spec.lead = 0
}
