//go:build !purego

package aesgcm

import "github.com/sealburst/sealburst/ciphers"

// SealRow and OpenRow give the whole quads of a burst to the kernels that know packets
// to be alike, and what is left to the others.
func (v vector) SealRow(ps []ciphers.Packet, slot int) int {
	taken, ok := v.row(ps, slot, false)
	if taken == len(ps) {
		return ok
	}
	return ok + v.Seal(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))[taken:], Slot: slot})
}

func (v vector) OpenRow(ps []ciphers.Packet, slot int) int {
	taken, ok := v.row(ps, slot, true)
	if ok != taken {
		wipe(ciphers.Burst{Packets: ps, Index: ciphers.Identity(taken)})
	}
	if taken == len(ps) {
		return ok
	}
	return ok + v.Open(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))[taken:], Slot: slot})
}

// row processes whole quads without a look at any but the first packet. It says how many
// packets they were, and how many of them are StatusOK.
func (v vector) row(ps []ciphers.Packet, slot int, opening bool) (taken, ok int) {
	if !v.on512() {
		return 0, 0
	}
	quads := quadsLike(&ps[0], len(ps), opening)
	for ; quads > 0; quads = min((len(ps)-taken)/quad, maxUniformQuads) {
		ok += v.rowRun(&ps[taken], quads, slotOffset(slot), opening)
		taken += quads * quad
	}
	return taken, ok
}

func (v vector) rowRun(packets *ciphers.Packet, quads, slot int, opening bool) (ok int) {
	switch {
	case opening && v == aes128On512:
		return openAES128VAES512Row(packets, quads, slot)
	case opening:
		return openAES256VAES512Row(packets, quads, slot)
	case v == aes128On512:
		sealAES128VAES512Row(packets, quads, slot)
	default:
		sealAES256VAES512Row(packets, quads, slot)
	}
	return quads * quad
}

// The kernels for rows take quads, at least one, of packets that lie one behind the
// other, are alike, have no Prefix, and have associated data in front of the payload,
// which they may read some of with them. Those that open return how many are StatusOK.

//go:noescape
func sealAES128VAES512Row(packets *ciphers.Packet, quads, slot int)

//go:noescape
func sealAES256VAES512Row(packets *ciphers.Packet, quads, slot int)

//go:noescape
func openAES128VAES512Row(packets *ciphers.Packet, quads, slot int) (ok int)

//go:noescape
func openAES256VAES512Row(packets *ciphers.Packet, quads, slot int) (ok int)
