//go:build !purego

package aesgcm

import (
	"sort"

	"github.com/sealburst/sealburst/ciphers"
)

//go:generate env GOWORK=off go run -C _asm . -part onekey

// What the kernels for one key take: packets of these lengths of payload, of any mixture,
// and so many that what is made for the key pays. They stop before a packet that has
// another key or length.
const (
	minOneKeyPayload = 8*64 + 1
	maxOneKeyPayload = 63 * 64
	minOneKeyPackets = 2 * quad
)

// forOneKey says that the packets at the head are for such a kernel.
func (v vector) forOneKey(ps []ciphers.Packet, index []uint8, opening bool) bool {
	if !v.on512() || len(index) < minOneKeyPackets {
		return false
	}
	first := &ps[index[0]]
	if n := payloadBytes(first, opening); n < minOneKeyPayload || n > maxOneKeyPayload {
		return false
	}
	for _, i := range index[1:minOneKeyPackets] {
		if ps[i].Key != first.Key {
			return false
		}
	}
	return true
}

// oneKeyBySize processes the longest of packets in order of size with the kernel for one
// key, if they are for it from the first to the last, as far as that can be told by a few,
// and returns the others, in order.
func (v vector) oneKeyBySize(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst, opening bool) (rest []uint8, ok int) {
	n := len(index) - minOneKeyPackets
	if n < 0 || !v.forOneKey(ps, index[n:], opening) {
		return index, 0
	}
	if n = firstLong(ps, index[:n], opening); !v.forOneKey(ps, index[n:], opening) {
		return index, 0
	}
	taken, ok := v.oneKey(ps, index[n:], slot, f, anyShape, opening)
	return append(index[:n], index[n+taken:]...), ok
}

// firstLong is where the packets begin that are not too short for one key.
func firstLong(ps []ciphers.Packet, index []uint8, opening bool) int {
	return sort.Search(len(index), func(n int) bool { return payloadBytes(&ps[index[n]], opening) >= minOneKeyPayload })
}

func (v vector) oneKey(ps []ciphers.Packet, index []uint8, slot int, f *foldedBurst, shape int, opening bool) (taken, ok int) {
	slot = slotOffset(slot)
	switch {
	case opening && v == aes128On512:
		return openAES128VAES512OneKey(&ps[0], &index[0], len(index), slot, f, shape)
	case opening:
		return openAES256VAES512OneKey(&ps[0], &index[0], len(index), slot, f, shape)
	case v == aes128On512:
		return sealAES128VAES512OneKey(&ps[0], &index[0], len(index), slot, f, shape, nil)
	}
	return sealAES256VAES512OneKey(&ps[0], &index[0], len(index), slot, f, shape, nil)
}

// oneKeyMasked seals packets that are alike and makes the masks of whole quads, if the
// packets are for such a kernel, and says how many they were.
func (v vector) oneKeyMasked(dst []byte, ps []ciphers.Packet) (taken int) {
	order, slot, most := ciphers.Identity(len(ps)), slotOffset(ciphers.SlotBulk), 0
	if v.forOneKey(ps, order, false) && !needsFold(&ps[0]) {
		most = maxCall / bytesOf(&ps[0]) &^ (quad - 1)
	}
	for n := min(len(ps), most); n >= quad; n = min(len(ps)-taken, most) {
		n &^= quad - 1
		if v == aes128On512 {
			sealAES128VAES512OneKey(&ps[taken], &order[0], n, slot, nil, firstShape, &dst[taken*ciphers.MaskSize])
		} else {
			sealAES256VAES512OneKey(&ps[taken], &order[0], n, slot, nil, firstShape, &dst[taken*ciphers.MaskSize])
		}
		taken += n
	}
	return taken
}

// The kernels for one key are offered packets, of which at least the first is for them,
// and stop like the others. Masks, if not nil, are those of the whole quads of packets
// that lie one behind the other and are alike; order then counts up from 0.

//go:noescape
func sealAES128VAES512OneKey(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst, oneShape int, masks *byte) (taken, ok int)

//go:noescape
func sealAES256VAES512OneKey(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst, oneShape int, masks *byte) (taken, ok int)

//go:noescape
func openAES128VAES512OneKey(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst, oneShape int) (taken, ok int)

//go:noescape
func openAES256VAES512OneKey(packets *ciphers.Packet, order *uint8, count, slot int, folded *foldedBurst, oneShape int) (taken, ok int)
