//go:build !purego

package aesgcm

import "github.com/sealburst/sealburst/ciphers"

// What the kernels for uniform packets take: quads of four packets with one key,
// whole tags, payloads of one length, and associated data of one length in one
// piece. They stop before the first quad with a packet that differs.
const (
	quad              = 4
	maxUniformPayload = 5 * 64
	maxUniformAAD     = 32
	maxUniformQuads   = maxCall / quad / (maxUniformPayload + maxUniformAAD)
)

// uniformQuads is how many of the first quads such a kernel may be offered: none
// if the very first is not for it, else as many as a call may take.
func (v vector) uniformQuads(ps []ciphers.Packet, index []uint8, opening bool) int {
	if len(index) < quad || !v.on512() || !alike(ps, index[:quad]) {
		return 0
	}
	p := &ps[index[0]]
	n, aad := payloadBytes(p, opening), len(p.Prefix)+int(p.AADLen)
	if n == 0 || n > maxUniformPayload || aad > maxUniformAAD || needsFold(p) || p.Key.TagSize() != fullTag {
		return 0
	}
	return min(len(index)/quad, maxUniformQuads)
}

func alike(ps []ciphers.Packet, index []uint8) bool {
	first := &ps[index[0]]
	for _, i := range index[1:] {
		p := &ps[i]
		if p.Key != first.Key || p.Len != first.Len || p.AADLen != first.AADLen || len(p.Prefix) != len(first.Prefix) {
			return false
		}
	}
	return true
}

// sealUniform seals runs of uniform packets at the head of a burst, and says how
// many packets they were.
func (v vector) sealUniform(ps []ciphers.Packet, index []uint8, slot int) (taken int) {
	for n := v.sealRun(ps, index, slot); n > 0; n = v.sealRun(ps, index[taken:], slot) {
		taken += n
	}
	return taken
}

func (v vector) sealRun(ps []ciphers.Packet, index []uint8, slot int) (taken int) {
	quads := v.uniformQuads(ps, index, false)
	switch {
	case quads == 0:
		return 0
	case v == aes128On512:
		return sealAES128VAES512Quads(&ps[0], &index[0], quads, slotOffset(slot))
	}
	return sealAES256VAES512Quads(&ps[0], &index[0], quads, slotOffset(slot))
}

// openUniform opens such runs, and says also how many packets are StatusOK.
func (v vector) openUniform(ps []ciphers.Packet, index []uint8, slot int) (taken, ok int) {
	for n, good := v.openRun(ps, index, slot); n > 0; n, good = v.openRun(ps, index[taken:], slot) {
		taken, ok = taken+n, ok+good
	}
	return taken, ok
}

func (v vector) openRun(ps []ciphers.Packet, index []uint8, slot int) (taken, ok int) {
	quads := v.uniformQuads(ps, index, true)
	switch {
	case quads == 0:
		return 0, 0
	case v == aes128On512:
		return openAES128VAES512Quads(&ps[0], &index[0], quads, slotOffset(slot))
	}
	return openAES256VAES512Quads(&ps[0], &index[0], quads, slotOffset(slot))
}
