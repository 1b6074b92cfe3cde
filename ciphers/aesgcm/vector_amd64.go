//go:build !purego

package aesgcm

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/hpmask"
)

// vector is an AEAD on vector registers. The kernels see all packets of a burst
// in one call, or in as few as maxCall allows, in ascending order of size.
type vector uint8

const (
	aes128On512 vector = iota
	aes256On512
	aes128On256
	aes256On256
)

func (v vector) keySize() int {
	if v == aes128On512 || v == aes128On256 {
		return 16
	}
	return 32
}

func (v vector) on512() bool { return v == aes128On512 || v == aes256On512 }

func (v vector) ScheduleSize() int { return scheduleSize(v.keySize()) }

func (v vector) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	expand(st, spec)
	return nil
}

func (v vector) Seal(b ciphers.Burst) int {
	n, taken := len(b.Index), v.sealUniform(b.Packets, b.Index, b.Slot)
	if b.Index = b.Index[taken:]; len(b.Index) > 0 {
		v.sealRest(b, nil)
	}
	return n
}

// sealRest seals what is left of a burst, at least one packet.
func (v vector) sealRest(b ciphers.Burst, masks *byte) {
	if s := look(b, false); s.simple() {
		v.seal(b.Packets, b.Index, b.Slot, nil, masks)
	} else {
		v.inParts(b, s, masks, false)
	}
}

func (v vector) Open(b ciphers.Burst) (ok int) {
	if len(b.Index) < quad {
		ok = v.openRest(b)
	} else {
		ok = v.openMany(b)
	}
	if ok != len(b.Index) {
		wipe(b)
	}
	return ok
}

// openMany opens a burst of a quad or more. It stands apart since opening lone
// packets is 5 ns slower with both in one function.
func (v vector) openMany(b ciphers.Burst) int {
	taken, ok := v.openUniform(b.Packets, b.Index, b.Slot)
	b.Index = b.Index[taken:]
	return ok + v.openRest(b)
}

func (v vector) openRest(b ciphers.Burst) int {
	if len(b.Index) == 0 {
		return 0
	}
	if s := look(b, true); !s.simple() {
		return v.inParts(b, s, nil, true)
	}
	return v.open(b.Packets, b.Index, b.Slot, nil)
}

// MasksWith accepts the masks of the same tier and key size, as QUIC and DTLS
// 1.3 pair them.
func (v vector) MasksWith(m ciphers.Masker) bool { return m == v.masker() }

func (v vector) masker() ciphers.Masker {
	switch v {
	case aes128On512:
		return hpmask.AES128VAES512()
	case aes256On512:
		return hpmask.AES256VAES512()
	case aes128On256:
		return hpmask.AES128VAES256()
	}
	return hpmask.AES256VAES256()
}

// SealMask makes the masks on 512-bit registers group by group while the samples
// are in the first-level cache, on 256-bit ones and for uniform packets, which
// are short, behind all of them.
func (v vector) SealMask(dst []byte, b ciphers.Burst) int {
	index, masked := b.Index, len(b.Index)
	masks := unsafe.SliceData(dst)
	if v.on512() {
		masked = v.sealUniform(b.Packets, index, b.Slot)
		b.Index = index[masked:]
	} else {
		masks = nil
	}
	if len(b.Index) > 0 {
		v.sealRest(b, masks)
	}
	if b.Slot, b.Index = ciphers.SlotBulk, index[:masked]; masked > 0 {
		v.masker().Mask(dst, b)
	}
	return len(index)
}

// inParts folds associated data, puts a burst in order, and calls the kernel as
// often as it must.
func (v vector) inParts(b ciphers.Burst, s survey, masks *byte, opening bool) int {
	if !s.folds {
		return v.ordered(b, s, nil, masks, opening)
	}
	var f foldedBurst
	f.fill(b)
	return v.ordered(b, s, &f, masks, opening)
}

func (v vector) ordered(b ciphers.Burst, s survey, f *foldedBurst, masks *byte, opening bool) (ok int) {
	var o order
	index := b.Index
	if s.mixed {
		index = o.sort(b, opening)
	}
	for len(index) > 0 {
		n := split(b.Packets, index)
		if opening {
			ok += v.open(b.Packets, index[:n], b.Slot, f)
		} else {
			ok += v.seal(b.Packets, index[:n], b.Slot, f, masks)
		}
		index = index[n:]
	}
	return ok
}

// seal and open call the kernels, which take the packets that index names, at
// least one. They set every status and return how many are StatusOK.

func (v vector) seal(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst, masks *byte) int {
	slot = slotOffset(slot)
	switch v {
	case aes128On512:
		return sealAES128VAES512(&ps[0], &index[0], len(index), slot, f, masks)
	case aes256On512:
		return sealAES256VAES512(&ps[0], &index[0], len(index), slot, f, masks)
	case aes128On256:
		return sealAES128VAES256(&ps[0], &index[0], len(index), slot, f)
	}
	return sealAES256VAES256(&ps[0], &index[0], len(index), slot, f)
}

func (v vector) open(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst) int {
	slot = slotOffset(slot)
	switch v {
	case aes128On512:
		return openAES128VAES512(&ps[0], &index[0], len(index), slot, f)
	case aes256On512:
		return openAES256VAES512(&ps[0], &index[0], len(index), slot, f)
	case aes128On256:
		return openAES128VAES256(&ps[0], &index[0], len(index), slot, f)
	}
	return openAES256VAES256(&ps[0], &index[0], len(index), slot, f)
}

// slotOffset is where in a Key the address of the schedule lies.
func slotOffset(slot int) int { return ciphers.ScheduleOffset + slot*ciphers.StateSize }

// wipe zeroes what opening wrote into packets that are not authentic.
func wipe(b ciphers.Burst) {
	for _, i := range b.Index {
		if p := &b.Packets[i]; p.Status == ciphers.StatusAuth {
			clear(p.Opened(p.Key.TagSize()))
		}
	}
}
