//go:build !purego

package aesgcm

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/hpmask"
)

// vector is an AEAD on vector registers. The kernels see all packets of a burst
// in one call, or in as few as maxCall and uniform packets allow, in ascending
// order of size.
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
	if len(b.Index) < quad || !v.on512() {
		v.inTurn(b, false)
	} else {
		v.uniformAndRest(b, false)
	}
	return len(b.Index)
}

func (v vector) Open(b ciphers.Burst) (ok int) {
	if len(b.Index) < quad || !v.on512() {
		ok = v.inTurn(b, true)
	} else {
		ok = v.uniformAndRest(b, true)
	}
	if ok != len(b.Index) {
		wipe(b)
	}
	return ok
}

// uniformAndRest gives the head of a burst to the kernel for uniform packets, as
// far as it takes them, and the rest to the other.
func (v vector) uniformAndRest(b ciphers.Burst, opening bool) int {
	taken, ok := v.uniform(b.Packets, b.Index, b.Slot, opening)
	b.Index = b.Index[taken:]
	return ok + v.inTurn(b, opening)
}

// inTurn gives a burst to the kernel that takes packets one after the other.
func (v vector) inTurn(b ciphers.Burst, opening bool) int {
	if len(b.Index) == 0 {
		return 0
	}
	if simple(b) {
		return v.call(b.Packets, b.Index, b.Slot, nil, opening)
	}
	return v.inOrder(b, opening)
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

// SealMask makes the masks when all packets are sealed.
func (v vector) SealMask(dst []byte, b ciphers.Burst) int {
	n := v.Seal(b)
	if b.Slot = ciphers.SlotBulk; n > 0 {
		v.masker().Mask(dst, b)
	}
	return n
}

// inOrder puts a burst in order, folds associated data, and calls the kernels as
// often as it must.
func (v vector) inOrder(b ciphers.Burst, opening bool) (ok int) {
	var o order
	index := o.sort(b, opening)
	if o.folds {
		return v.folding(b, index, opening)
	}
	if v.on512() {
		index, ok = v.uniformBySize(b.Packets, index, &o.ends, b.Slot, opening)
	}
	return ok + v.split(b.Packets, index, b.Slot, nil, opening)
}

func (v vector) folding(b ciphers.Burst, index []uint8, opening bool) int {
	var f foldedBurst
	f.fill(b)
	return v.split(b.Packets, index, b.Slot, &f, opening)
}

// split calls the kernel with as many packets at once as maxCall allows.
func (v vector) split(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst, opening bool) (ok int) {
	for len(index) > 0 {
		n := split(ps, index)
		ok += v.call(ps, index[:n], slot, f, opening)
		index = index[n:]
	}
	return ok
}

// call calls the kernel, which takes the packets that index names, at least one.
// It sets every status and returns how many are StatusOK.
func (v vector) call(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst, opening bool) int {
	if opening {
		return v.open(ps, index, slotOffset(slot), f)
	}
	return v.seal(ps, index, slotOffset(slot), f)
}

func (v vector) seal(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst) int {
	switch v {
	case aes128On512:
		return sealAES128VAES512(&ps[0], &index[0], len(index), slot, f)
	case aes256On512:
		return sealAES256VAES512(&ps[0], &index[0], len(index), slot, f)
	case aes128On256:
		return sealAES128VAES256(&ps[0], &index[0], len(index), slot, f)
	}
	return sealAES256VAES256(&ps[0], &index[0], len(index), slot, f)
}

func (v vector) open(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst) int {
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
