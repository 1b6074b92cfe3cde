package engine

import (
	"bytes"

	"github.com/sealburst/sealburst/ciphers"
)

const testRow = 9 // packets that are alike: two quads and one

// testRows compares what an implementation that takes rows makes of them with what it
// makes of any burst, which gave the known answer, and opens them with forgeries among
// them.
func testRows(sealing, opening *Key, plan *ciphers.Plan) error {
	row := rowOf(sealing.Algorithm(), plan)
	if row == nil {
		return nil
	}
	for _, size := range testSizes {
		want, packets := rowBurst(sealing, size)
		ciphers.SealBorder(packets)
		plan.Bulk.Seal(ciphers.Burst{Packets: packets, Index: ciphers.Identity(testRow)})
		arena, packets := rowBurst(sealing, size)
		ciphers.SealBorder(packets)
		if row.SealRow(packets, ciphers.SlotBulk) != testRow || !bytes.Equal(arena, want) {
			return ErrKnownAnswer
		}
		if err := testRowOpening(opening, row, packets, size); err != nil {
			return err
		}
	}
	return nil
}

// rowBurst lays packets of one size into an arena.
func rowBurst(k *Key, size int) ([]byte, []Packet) {
	arena := counting(testRow*testSlot, 9)
	packets := make([]Packet, testRow)
	for i := range packets {
		packets[i] = Packet{
			Buf: arena[i*testSlot:][:testSlot:testSlot], Key: k, Number: uint64(i) << (7 * i),
			Off: testHeader, Len: uint32(size), AADLen: uint16(size) % (testHeader + 1),
		}
	}
	return arena, packets
}

func testRowOpening(k *Key, row ciphers.RowAEAD, packets []Packet, size int) error {
	original, _ := rowBurst(k, size)
	for i := range packets {
		p := &packets[i]
		p.Key, p.Len = k, p.Len+uint32(k.TagSize())
		if forged(i) {
			p.Buf[int(p.Off)+int(p.Len)-1] ^= 1
		}
	}
	ciphers.OpenBorder(packets)
	row.OpenRow(packets, ciphers.SlotBulk)
	for i := range packets {
		got := packets[i].Buf[testHeader:][:size]
		switch status := packets[i].Status; {
		case forged(i) && (status != ciphers.StatusAuth || !zero(got)):
			return ErrForgery
		case !forged(i) && (status != ciphers.StatusOK || !bytes.Equal(got, original[i*testSlot+testHeader:][:size])):
			return ErrKnownAnswer
		}
	}
	return nil
}
