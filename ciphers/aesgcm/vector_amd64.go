//go:build !purego

package aesgcm

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/hpmask"
)

// vector is an AEAD on vector registers. The kernels see all packets of a burst
// in one call, or in as few as maxCall, uniform packets and long ones of one key
// allow, in ascending order of size.
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
	if b.Index = b.Index[taken:]; len(b.Index) == 0 {
		return ok
	}
	return ok + v.inTurn(b, opening)
}

// inTurn gives a burst to the kernel that takes packets one after the other: those
// in front that are of one shape as they are, others in order of size. For a packet
// alone each call on the way to the kernel counts.
func (v vector) inTurn(b ciphers.Burst, opening bool) (ok int) {
	if v.on512() && len(b.Index) > quad {
		taken, good := v.oneShape(b, opening)
		b.Index, ok = b.Index[taken:], good
	} else if simple(b) {
		_, ok = v.call(&b.Packets[0], b.Index, b.Slot, nil, anyShape, opening)
		return ok
	}
	for rest := b.Index; len(rest) > 0; rest = rest[len(b.Index):] {
		b.Index = rest[:min(len(rest), maxOrdered)]
		ok += v.inOrder(b, opening)
	}
	return ok
}

// MasksWith accepts the masks of the same tier and key size, as QUIC and DTLS
// 1.3 pair them.
func (v vector) MasksWith(m ciphers.Masker) bool { return m == v.masker() }

func (v vector) masker() ciphers.RowMasker {
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

// inOrder puts a burst in order, folds associated data, and calls the kernels as
// often as it must.
func (v vector) inOrder(b ciphers.Burst, opening bool) (ok int) {
	var o order
	index := o.sort(b, opening)
	if o.folds {
		return v.folding(b, index, opening)
	}
	if v.on512() {
		index, ok = v.uniformBySize(b.Packets, index, o.sizes, b.Slot, opening)
	}
	if o.bytes > maxCall {
		return ok + v.split(b.Packets, index, b.Slot, nil, opening)
	}
	return ok + v.ordered(b.Packets, index, b.Slot, nil, opening)
}

func (v vector) folding(b ciphers.Burst, index []uint8, opening bool) int {
	var f foldedBurst
	f.fill(b)
	return v.split(b.Packets, index, b.Slot, &f, opening)
}

// ordered processes packets in order of size that one call may take.
func (v vector) ordered(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst, opening bool) (ok int) {
	index, ok = v.oneKeyBySize(ps, index, slot, f, opening)
	if len(index) == 0 {
		return ok
	}
	_, good := v.call(&ps[0], index, slot, f, anyShape, opening)
	return ok + good
}

// split calls the kernels with as many packets at once as maxCall allows.
func (v vector) split(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst, opening bool) (ok int) {
	for len(index) > 0 {
		n := split(ps, index)
		ok += v.ordered(ps, index[:n], slot, f, opening)
		index = index[n:]
	}
	return ok
}

// Whether a kernel stops before a packet of another shape than the first. Those on
// 256-bit registers never do.
const (
	anyShape = iota
	firstShape
)

// call calls the kernel, which takes those of packets that index names, at least one. It
// sets their status and returns how many it took, and how many of them are StatusOK.
func (v vector) call(packets *ciphers.Packet, index []uint8, slot int, f *foldedBurst, shape int, opening bool) (taken, ok int) {
	if opening {
		return v.open(packets, index, slotOffset(slot), f, shape)
	}
	return v.seal(packets, index, slotOffset(slot), f, shape)
}

func (v vector) seal(packets *ciphers.Packet, index []uint8, slot int, f *foldedBurst, shape int) (taken, ok int) {
	switch v {
	case aes128On512:
		return sealAES128VAES512(packets, &index[0], len(index), slot, f, shape)
	case aes256On512:
		return sealAES256VAES512(packets, &index[0], len(index), slot, f, shape)
	case aes128On256:
		return len(index), sealAES128VAES256(packets, &index[0], len(index), slot, f)
	}
	return len(index), sealAES256VAES256(packets, &index[0], len(index), slot, f)
}

func (v vector) open(packets *ciphers.Packet, index []uint8, slot int, f *foldedBurst, shape int) (taken, ok int) {
	switch v {
	case aes128On512:
		return openAES128VAES512(packets, &index[0], len(index), slot, f, shape)
	case aes256On512:
		return openAES256VAES512(packets, &index[0], len(index), slot, f, shape)
	case aes128On256:
		return len(index), openAES128VAES256(packets, &index[0], len(index), slot, f)
	}
	return len(index), openAES256VAES256(packets, &index[0], len(index), slot, f)
}

// slotOffset is where in a Key the address of the schedule lies.
func slotOffset(slot int) int {
	if slot == ciphers.SlotBulk {
		return ciphers.BulkOffset
	}
	return ciphers.ScheduleOffset + slot*ciphers.StateSize
}

// wipe zeroes what opening wrote into packets that are not authentic.
func wipe(b ciphers.Burst) {
	for _, i := range b.Index {
		if p := &b.Packets[i]; p.Status == ciphers.StatusAuth {
			clear(p.Opened(p.Key.TagSize()))
		}
	}
}
