package cipherstest

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
)

// brokenMaskers are faults of maskers and the part of the kit that must see each.
var brokenMaskers = []struct {
	name   string
	part   string
	alg    ciphers.Algorithm
	masker ciphers.Masker
}{
	{"masks: no key", "KnownAnswers", ciphers.MaskAES128, maskFunc(func(dst []byte, b ciphers.Burst) {
		for _, i := range b.Index {
			maskOne(ciphers.MaskAES128, dst, b, i, make([]byte, 16))
		}
	})},
	{"masks: first packet's key for all", "MixedKeys", ciphers.MaskAES256, maskFunc(func(dst []byte, b ciphers.Burst) {
		for _, i := range b.Index {
			maskOne(ciphers.MaskAES256, dst, b, i, schedule(b, b.Index[0]))
		}
	})},
	{"packs masks in order of Index", "PartialPermutedIndex", ciphers.MaskAES128, maskFunc(func(dst []byte, b ciphers.Burst) {
		for n, i := range b.Index {
			maskOne(ciphers.MaskAES128, dst[16*n:], ciphers.Burst{Packets: b.Packets[i:]}, 0, schedule(b, i))
		}
	})},
	{"clears the rest of the destination", "EverySampleOffset", ciphers.MaskAES128, maskFunc(func(dst []byte, b ciphers.Burst) {
		for _, i := range b.Index {
			maskOne(ciphers.MaskAES128, dst, b, i, schedule(b, i))
			if int(i) == len(b.Packets)-1 {
				clear(dst[16*int(i)+16:])
			}
		}
	})},
	{"refuses the last counter", "BlockCounterAtItsEnd", ciphers.MaskChaCha20, maskFunc(func(dst []byte, b ciphers.Burst) {
		for _, i := range b.Index {
			if binary.LittleEndian.Uint32(b.Packets[i].Sample()) != 1<<32-1 {
				maskOne(ciphers.MaskChaCha20, dst, b, i, schedule(b, i))
			}
		}
	})},
	{"leaves out the last of a row", "EverySampleOffset", ciphers.MaskAES128, shortRow{func(dst []byte, b ciphers.Burst) {
		for _, i := range b.Index {
			maskOne(ciphers.MaskAES128, dst, b, i, schedule(b, i))
		}
	}}},
	{"masks: allocates", "NoAllocations", ciphers.MaskAES128, maskFunc(func(dst []byte, b ciphers.Burst) {
		for _, i := range b.Index {
			sink = make([]byte, int(i)+1)
			maskOne(ciphers.MaskAES128, dst, b, i, schedule(b, i))
		}
	})},
}

// shortRow is a masker whose rows lack the last mask.
type shortRow struct{ maskFunc }

func (r shortRow) MaskRow(dst []byte, ps []ciphers.Packet) {
	r.Mask(dst, ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps) - 1)})
}

// maskFunc is a masker whose schedule is the key.
type maskFunc func(dst []byte, b ciphers.Burst)

func (maskFunc) ScheduleSize() int { return 32 }

func (maskFunc) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	copy(st.Schedule(), spec.Key)
	return nil
}

func (f maskFunc) Mask(dst []byte, b ciphers.Burst) { f(dst, b) }

func schedule(b ciphers.Burst, i uint8) []byte {
	k := b.Packets[i].MaskKey
	return k.State(b.Slot).Schedule()[:k.Algorithm().KeySize()]
}

func maskOne(alg ciphers.Algorithm, dst []byte, b ciphers.Burst, i uint8, key []byte) {
	mask, err := oracleMask(alg, key, b.Packets[i].Sample())
	if err != nil {
		panic(err)
	}
	copy(dst[16*int(i):], mask)
}
