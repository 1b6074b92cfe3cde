package cipherstest

import "github.com/sealburst/sealburst/ciphers"

// Run hands bursts to an implementation as the engine does: the border checks
// the packets, and the implementation gets the valid ones in a Burst, or, where it is
// a RowAEAD and they are alike and all of them are handed over, in a row. The zero
// value gives it all of them, in order, in slot SlotBulk.
type Run struct {
	Slot  int     // where the keys' plan has the implementation
	Order []uint8 // the positions to hand over, without duplicates; nil for all
}

// Seal seals ps and returns what impl returned.
func (r Run) Seal(impl ciphers.AEAD, ps []ciphers.Packet) int {
	_, alike := ciphers.SealBorder(ps)
	return r.seal(impl, ps, alike)
}

// seal seals packets that the border took, in a row where they are one.
func (r Run) seal(impl ciphers.AEAD, ps []ciphers.Packet, alike bool) int {
	if row, takes := impl.(ciphers.RowAEAD); takes && alike && r.Order == nil {
		return row.SealRow(ps, r.Slot)
	}
	return impl.Seal(r.burst(ps))
}

// Open opens ps and returns what impl returned.
func (r Run) Open(impl ciphers.AEAD, ps []ciphers.Packet) int {
	_, alike := ciphers.OpenBorder(ps)
	if row, takes := impl.(ciphers.RowAEAD); takes && alike && r.Order == nil {
		return row.OpenRow(ps, r.Slot)
	}
	return impl.Open(r.burst(ps))
}

// Mask makes the masks of ps in dst, 16 bytes a packet.
func (r Run) Mask(impl ciphers.Masker, dst []byte, ps []ciphers.Packet) {
	valid, _ := ciphers.MaskBorder(dst, ps, make([]uint8, 0, ciphers.MaxBurst))
	impl.Mask(dst, ciphers.Burst{Packets: ps, Index: r.choose(valid), Slot: r.Slot})
}

// MaskRow makes the masks of ps, which must all be valid, in dst.
func (Run) MaskRow(impl ciphers.RowMasker, dst []byte, ps []ciphers.Packet) {
	ciphers.MaskBorder(dst, ps, make([]uint8, 0, ciphers.MaxBurst))
	impl.MaskRow(dst, ps)
}

// SealMask seals ps, which must all be valid, makes their masks in dst and returns
// what impl returned.
func (Run) SealMask(impl ciphers.MaskSealer, dst []byte, ps []ciphers.Packet) int {
	_, _, _, alike := ciphers.SealMaskBorder(dst, ps, make([]uint8, 0, ciphers.MaxBurst))
	return impl.SealMask(dst, ps, alike)
}

// burst is the packets that passed the border.
func (r Run) burst(ps []ciphers.Packet) ciphers.Burst {
	var valid []uint8
	for i := range ps {
		if ps[i].Status == ciphers.StatusNone {
			valid = append(valid, uint8(i))
		}
	}
	return ciphers.Burst{Packets: ps, Index: r.choose(valid), Slot: r.Slot}
}

// choose keeps, of r.Order, the positions that are valid.
func (r Run) choose(valid []uint8) []uint8 {
	if r.Order == nil {
		return valid
	}
	var ok [ciphers.MaxBurst]bool
	for _, i := range valid {
		ok[i] = true
	}
	chosen := []uint8{}
	for _, i := range r.Order {
		if ok[i] {
			chosen = append(chosen, i)
		}
	}
	return chosen
}
