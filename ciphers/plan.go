package ciphers

import "unsafe"

// Plan is which implementations serve a key: Mask for a mask key, else Bulk, and
// Lone for bursts of at most LoneMax of the plan's packets where Lone is not
// nil. It is fixed when the key is made.
type Plan struct {
	Bulk    AEAD
	Lone    AEAD
	LoneMax int
	Mask    Masker
}

// check refuses a plan that cannot serve a key of a: a mask key takes Mask alone,
// an AEAD key takes Bulk, with or without Lone.
func (p *Plan) check(a Algorithm) error {
	switch {
	case p == nil:
		return &FieldError{"Plan", "missing"}
	case a.IsMask() && (p.Mask == nil || p.Bulk != nil || p.Lone != nil):
		return &FieldError{"Plan", "a mask key takes Mask alone"}
	case !a.IsMask() && (p.Bulk == nil || p.Mask != nil):
		return &FieldError{"Plan", "an AEAD key takes Bulk, and no Mask"}
	}
	return nil
}

// Slots of a key's states: what Plan.Bulk or Plan.Mask keeps, and what Plan.Lone keeps.
const (
	SlotBulk = 0
	SlotLone = 1
)

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
