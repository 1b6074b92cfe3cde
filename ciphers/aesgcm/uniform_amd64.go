//go:build !purego

package aesgcm

import "github.com/sealburst/sealburst/ciphers"

//go:generate env GOWORK=off go run -C _asm . -part uniform

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
	if len(index) < quad || !alike(ps, index[:quad]) {
		return 0
	}
	return quadsLike(&ps[index[0]], len(index), opening)
}

// quadsLike is that for so many packets that are like one.
func quadsLike(p *ciphers.Packet, count int, opening bool) int {
	n, aad := payloadBytes(p, opening), len(p.Prefix)+int(p.AADLen)
	if n == 0 || n > maxUniformPayload || aad > maxUniformAAD || needsFold(p) || p.Key.TagSize() != fullTag {
		return 0
	}
	return min(count/quad, maxUniformQuads)
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

// uniform processes runs of uniform packets at the head of a burst. It says how
// many packets they were, and how many of them are StatusOK.
func (v vector) uniform(ps []ciphers.Packet, index []uint8, slot int, opening bool) (taken, ok int) {
	for {
		quads := v.uniformQuads(ps, index[taken:], opening)
		if quads == 0 {
			return taken, ok
		}
		n, good := v.uniformRun(ps, index[taken:], quads, slotOffset(slot), opening)
		taken, ok = taken+n, ok+good
	}
}

func (v vector) uniformRun(ps []ciphers.Packet, index []uint8, quads, slot int, opening bool) (taken, ok int) {
	switch {
	case opening && v == aes128On512:
		return openAES128VAES512Quads(&ps[0], &index[0], quads, slot)
	case opening:
		return openAES256VAES512Quads(&ps[0], &index[0], quads, slot)
	case v == aes128On512:
		taken = sealAES128VAES512Quads(&ps[0], &index[0], quads, slot)
	default:
		taken = sealAES256VAES512Quads(&ps[0], &index[0], quads, slot)
	}
	return taken, taken
}

// uniformBySize processes uniform packets at the head of each size of packets in
// order, and returns the others, in order.
func (v vector) uniformBySize(ps []ciphers.Packet, index []uint8, n sizes, slot int, opening bool) (rest []uint8, ok int) {
	kept, from := n.count(0), n.count(0)
	for registers := 1; registers <= maxUniformPayload/64; registers++ {
		taken, to := 0, from+n.count(registers)
		if to-from >= quad {
			var good int
			taken, good = v.uniform(ps, index[from:to], slot, opening)
			ok += good
		}
		kept += copy(index[kept:], index[from+taken:to])
		from = to
	}
	kept += copy(index[kept:], index[from:])
	return index[:kept], ok
}

// The kernels for uniform packets are offered quads, at least one, and return how
// many packets they took.

//go:noescape
func sealAES128VAES512Quads(packets *ciphers.Packet, order *uint8, quads, slot int) (taken int)

//go:noescape
func sealAES256VAES512Quads(packets *ciphers.Packet, order *uint8, quads, slot int) (taken int)

//go:noescape
func openAES128VAES512Quads(packets *ciphers.Packet, order *uint8, quads, slot int) (taken, ok int)

//go:noescape
func openAES256VAES512Quads(packets *ciphers.Packet, order *uint8, quads, slot int) (taken, ok int)
