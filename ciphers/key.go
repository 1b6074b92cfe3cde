package ciphers

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Direction is what a key is for; a key serves one.
type Direction uint8

// The directions. Mask keys have none.
const (
	Sealing Direction = iota + 1
	Opening
)

// NonceForm says how a packet's nonce comes from its key and its number.
type NonceForm uint8

const (
	// NonceXOR combines IV, as long as the nonce, with the big-endian High and
	// Number by exclusive or: TLS 1.3 (RFC 8446 section 5.3), QUIC (RFC 9001
	// section 5.3), ChaCha20-Poly1305 in TLS 1.2 (RFC 7905), and with 8 zero
	// bytes behind the salt the implicit IVs of ESP (RFC 8750).
	NonceXOR NonceForm = iota + 1
	// NonceExplicit puts 8 explicit bytes behind the salt in IV: GCM and CCM in
	// TLS 1.2 (RFC 5288, RFC 6655) with a salt of 4, GCM in ESP (RFC 4106) with
	// 4, CCM in ESP (RFC 4309) with 3. Sealing writes Number there, big-endian,
	// at IVOff; opening takes what the peer put there.
	NonceExplicit
)

// ExplicitSize is the length of the explicit part of NonceExplicit in bytes.
const ExplicitSize = 8

// KeySpec describes a key to be made. Key and IV are copied.
type KeySpec struct {
	Algorithm Algorithm
	Direction Direction // AEADs only
	Key       []byte    // Algorithm.KeySize bytes
	Nonce     NonceForm // AEADs only
	IV        []byte    // AEADs only: the fixed part of the nonce
	TagSize   int       // AEADs only: bytes; 0 means the full tag
}

// Check says which field of the spec is wrong, or nil.
func (s *KeySpec) Check() error {
	if !s.Algorithm.Valid() {
		return fmt.Errorf("%w: %w", &FieldError{"Algorithm", s.Algorithm.String()}, ErrUnknownAlgorithm)
	}
	if len(s.Key) != s.Algorithm.KeySize() {
		return &FieldError{"Key", fmt.Sprintf("%d bytes, %v takes %d", len(s.Key), s.Algorithm, s.Algorithm.KeySize())}
	}
	if s.Algorithm.IsMask() {
		return s.checkMask()
	}
	return s.checkAEAD()
}

func (s *KeySpec) checkMask() error {
	switch {
	case s.Direction != 0:
		return &FieldError{"Direction", "a mask key has none"}
	case s.Nonce != 0:
		return &FieldError{"Nonce", "a mask key has none"}
	case len(s.IV) != 0:
		return &FieldError{"IV", "a mask key has none"}
	case s.TagSize != 0:
		return &FieldError{"TagSize", "a mask key has none"}
	}
	return nil
}

func (s *KeySpec) checkAEAD() error {
	if s.Direction != Sealing && s.Direction != Opening {
		return &FieldError{"Direction", "neither Sealing nor Opening"}
	}
	if s.Nonce != NonceXOR && s.Nonce != NonceExplicit {
		return &FieldError{"Nonce", "neither NonceXOR nor NonceExplicit"}
	}
	if n := len(s.IV); s.Nonce == NonceXOR && n < 12 || s.Nonce == NonceExplicit && n != 3 && n != 4 {
		return &FieldError{"IV", fmt.Sprintf("%d bytes; NonceXOR takes the whole nonce, NonceExplicit a salt of 3 or 4", n)}
	}
	if t := s.Algorithm.traits(); !slices.Contains(t.nonces, s.nonceSize()) {
		return &FieldError{"IV", fmt.Sprintf("%d bytes make a nonce of %d, %v takes %v", len(s.IV), s.nonceSize(), s.Algorithm, t.nonces)}
	} else if s.TagSize != 0 && !slices.Contains(t.tags, s.TagSize) {
		return &FieldError{"TagSize", fmt.Sprintf("%d bytes, %v takes %v", s.TagSize, s.Algorithm, t.tags)}
	}
	return nil
}

func (s *KeySpec) nonceSize() int {
	if s.Nonce == NonceExplicit {
		return len(s.IV) + ExplicitSize
	}
	return len(s.IV)
}

// Plan is which implementations serve a key: Mask for a mask key, else Bulk, and
// Lone for bursts of at most LoneMax of the plan's packets where Lone is not
// nil. It is fixed when the key is made.
type Plan struct {
	Bulk    AEAD
	Lone    AEAD
	LoneMax int
	Mask    Masker
}

// Slots of a key's states: what Plan.Bulk or Plan.Mask keeps, and what Plan.Lone keeps.
const (
	SlotBulk = 0
	SlotLone = 1
)

// State is what one implementation keeps for one key.
type State struct {
	schedule unsafe.Pointer // 64-byte aligned
	size     int
	Object   any // a library's own object; dropped when the key closes, after Release if it has one
}

// Schedule is the expanded key, at least as many bytes as ScheduleSize asked
// for, 64-byte aligned. Closing the key zeroes it.
func (s *State) Schedule() []byte { return unsafe.Slice((*byte)(s.schedule), s.size) }

// Releaser is an Object that holds memory of its own. Release zeroes and frees
// it once no burst can use the key any more.
type Releaser interface{ Release() }

// Owner is who runs bursts with a key. The engine is one.
type Owner interface {
	// Quiesce waits until every burst that had begun when it was called is over.
	Quiesce()
	// Forget is told last, of a key that is closed and zero.
	Forget(k *Key)
}

// Key is one key in one direction, or a mask key, bound to its plan.
//
// The first cache line is all that the border reads for a packet. Kernels take
// the schedule of slot i from the pointer at ScheduleOffset + i*StateSize.
type Key struct {
	iv         [16]byte // NonceXOR: the last 12 bytes of IV, then 4 zero; NonceExplicit: the salt, then zero
	closed     atomic.Uint32
	maxPayload uint32
	spec       compactSpec
	plan       *Plan
	owner      Owner
	_          [8]byte

	states [2]State
}

type compactSpec struct {
	algorithm Algorithm
	direction Direction
	form      NonceForm
	tag       uint8
	nonce     uint8 // the nonce's length
	salt      uint8 // NonceExplicit: the salt's length
	lead      uint8 // the first byte of a 13-byte nonce
	_         uint8
}

// What kernels know of a Key.
const (
	ScheduleOffset = 64
	StateSize      = 32
)

var (
	_ [ScheduleOffset]byte = [unsafe.Offsetof(Key{}.states)]byte{}
	_ [StateSize]byte      = [unsafe.Sizeof(State{})]byte{}
)

// NewKey makes the key that spec describes and expands it for plan's
// implementations. owner may be nil when the caller sees to it that no burst
// runs while the key closes.
func NewKey(spec *KeySpec, plan *Plan, owner Owner) (*Key, error) {
	if err := spec.Check(); err != nil {
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
	if s.Nonce == NonceExplicit {
		k.spec.salt = uint8(len(s.IV))
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
	return nil
}

func (p *Plan) implementations() (impls [2]Implementation) {
	if p.Mask != nil {
		impls[SlotBulk] = p.Mask
		return impls
	}
	impls[SlotBulk] = p.Bulk
	if p.Lone != nil {
		impls[SlotLone] = p.Lone
	}
	return impls
}

// KeySize is how many bytes of memory a key under the plan takes, as Key.Size counts.
func (p *Plan) KeySize() int {
	size := int(unsafe.Sizeof(Key{}))
	for _, impl := range p.implementations() {
		if impl != nil {
			size += impl.ScheduleSize()
		}
	}
	return size
}

// allocate gives the state size bytes that start a cache line.
func (s *State) allocate(size int) {
	const line = 64
	raw := make([]byte, size+line-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(raw))) & (line - 1)
	s.schedule = unsafe.Pointer(unsafe.SliceData(raw[skip:]))
	s.size = size
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

// ExplicitSize is how many bytes of the nonce travel in the packet, 8 or 0.
func (k *Key) ExplicitSize() int {
	if k.spec.form == NonceExplicit {
		return ExplicitSize
	}
	return 0
}

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
// twice is allowed.
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
