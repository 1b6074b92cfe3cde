//go:build !purego

package aesgcm

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

//go:generate env GOWORK=off go run -C _asm . -part masked

// What these kernels know of a Packet and a Key besides: each line fails to compile
// when it moves.
var (
	_ [56]byte  = [unsafe.Offsetof(ciphers.Packet{}.MaskKey)]byte{}
	_ [124]byte = [unsafe.Offsetof(ciphers.Packet{}.SampleOff)]byte{}
	_ [64]byte  = [ciphers.ScheduleOffset + ciphers.SlotBulk*ciphers.StateSize]byte{}
)

// SealMask seals and masks in one pass the whole quads of packets that are alike and
// that the kernel for uniform packets or that for one key takes. The masks of others are
// made behind the seal.
func (v vector) SealMask(dst []byte, ps []ciphers.Packet, alike bool) (ok int) {
	taken := 0
	if alike && len(ps) >= quad && v.on512() {
		if taken = v.sealMasked(dst, ps); taken == 0 {
			taken = v.oneKeyMasked(dst, ps)
		}
	}
	if taken == len(ps) {
		return taken
	}
	if alike {
		ok = taken + v.SealRow(ps[taken:], ciphers.SlotBulk)
	} else {
		ok = v.Seal(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))})
	}
	v.masker().MaskRow(dst[taken*ciphers.MaskSize:], ps[taken:])
	return ok
}

// sealMasked seals and masks quads at the head of packets that are alike, and says how
// many packets they were.
func (v vector) sealMasked(dst []byte, ps []ciphers.Packet) (taken int) {
	p := &ps[0]
	if !samplesNear(p) {
		return 0
	}
	for quads := quadsLike(p, len(ps), false); quads > 0; quads = min((len(ps)-taken)/quad, maxUniformQuads) {
		v.masked(&dst[taken*ciphers.MaskSize], &ps[taken], quads)
		taken += quads * quad
	}
	return taken
}

// Of packets of up to maxCrossedPayload, the kernels take samples from the first two
// blocks, and from tags where they reach so far. Of longer ones they load them while tags
// are not yet written.
const (
	maxCrossedPayload = 2 * 64
	maxCrossedSample  = 16
)

// samplesNear says that the kernels take the sample of a packet from where it has it.
func samplesNear(p *ciphers.Packet) bool {
	at := int(p.SampleOff) - int(p.Off)
	if p.Len <= maxCrossedPayload {
		return uint(at) <= maxCrossedSample // a negative one is large
	}
	return at+ciphers.MaskSize <= int(p.Len)
}

func (v vector) masked(masks *byte, packets *ciphers.Packet, quads int) {
	slot := slotOffset(ciphers.SlotBulk)
	if v == aes128On512 {
		sealAES128VAES512Masked(packets, quads, slot, masks)
		return
	}
	sealAES256VAES512Masked(packets, quads, slot, masks)
}

// The kernels seal quads of packets as those for rows do, and write their masks. Samples
// are near.

//go:noescape
func sealAES128VAES512Masked(packets *ciphers.Packet, quads, slot int, masks *byte)

//go:noescape
func sealAES256VAES512Masked(packets *ciphers.Packet, quads, slot int, masks *byte)
