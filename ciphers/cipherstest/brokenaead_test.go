package cipherstest

import (
	"bytes"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// brokenAEADs are faults that implementations have had or could have, and the
// part of the kit that must see each.
var brokenAEADs = []struct {
	name string
	part string
	alg  ciphers.Algorithm
	make breakage
}{
	{"wrong at 4097 bytes", "EveryLength", ciphers.AES128GCM, flipAt(4097)},
	{"wrong at 65535 bytes", "EveryLength", ciphers.AES128GCM, flipAt(65535)},
	{"wrong without payload", "EveryLength", ciphers.ChaCha20Poly1305, flipAt(0)},
	{"wrong at 8 bytes of payload", "TagsWithShortPayloadsKeepNeighbours", ciphers.AES256GCM, flipAt(8)},
	{"zeroes behind the tag", "TagsWithShortPayloadsKeepNeighbours", ciphers.AES128GCM, afterSeal(func(p *ciphers.Packet) { *behind(p) = 0 })},
	{"writes into spare room", "SpareRoomIsNotWritten", ciphers.AES128CCM, afterSeal(writeSpare)},
	{"writes before the payload", "EveryLength", ciphers.AES128GCM, afterSeal(func(p *ciphers.Packet) {
		if p.Off > 0 {
			p.Buf[p.Off-1] ^= 1
		}
	})},
	{"encrypts Plain too", "EveryLength", ciphers.AES128GCM, afterSeal(func(p *ciphers.Packet) {
		if p.Plain != nil && p.Len > 0 {
			p.Plain[0] ^= 1
		}
	})},
	{"number of 32 bits", "NumbersGiveDistinctNonces", ciphers.AES128GCM, zeroNonce(4, 8)},
	{"no high part", "NumbersGiveDistinctNonces", ciphers.ChaCha20Poly1305, zeroNonce(0, 4)},
	{"own number for the peer's nonce", "ExplicitNonceIsThePeers", ciphers.AES128GCM, before(func(_ ciphers.Burst, p *ciphers.Packet) {
		if p.Key.ExplicitSize() != 0 {
			number(p)
		}
	})},
	{"first packet's key for all", "MixedKeys", ciphers.AES128GCM, before(func(b ciphers.Burst, p *ciphers.Packet) {
		if first := b.Packets[b.Index[0]].Key; first.TagSize() == p.Key.TagSize() {
			p.Key = first
		}
	})},
	{"drops Prefix beside a range", "AssociatedData", ciphers.AES128GCM, before(func(_ ciphers.Burst, p *ciphers.Packet) {
		if p.AADLen != 0 {
			p.Prefix = nil
		}
	})},
	{"cuts long associated data", "AssociatedData", ciphers.AES256CCM, before(func(_ ciphers.Burst, p *ciphers.Packet) {
		p.AADLen = min(p.AADLen, 65279)
	})},
	{"wrong at one alignment", "EveryAlignment", ciphers.AES128GCM, afterSeal(func(p *ciphers.Packet) {
		if uintptr(unsafe.Pointer(&p.Buf[p.Off]))&63 == 33 && p.Len == 63 {
			p.Buf[p.Off] ^= 1
		}
	})},
	{"forgets the 256th packet", "BurstSizes", ciphers.AES128GCM, sealsAtMost(255)},
	{"forgets the last of a row", "RowsOfPacketsThatAreAlike", ciphers.AES128GCM, func(inner ciphers.AEAD) ciphers.AEAD { return forgetful{inner} }},
	{"opens all of a row", "RowsOfPacketsThatAreAlike", ciphers.AES128GCM, func(inner ciphers.AEAD) ciphers.AEAD { return trusting{forgetful{inner}} }},
	{"takes all packets", "PartialPermutedIndex", ciphers.AES128GCM, sealsAll},
	{"looks in the first slot", "LoneSlot", ciphers.AES128GCM, inFirstSlot},
	{"does not compare the tag's last byte", "BadPacketsAmongGoodOnes", ciphers.AES128GCM, opens(openLoosely)},
	{"opens what Wycheproof forged", "Wycheproof", ciphers.ChaCha20Poly1305, opens(openLoosely)},
	{"leaves plaintext of forgeries", "FailureZeroesPlaintext", ciphers.AES128GCM, opens(openKeeping)},
	{"stops at the first forgery", "BadPacketsAmongGoodOnes", ciphers.AES128GCM, opens(openUntilBad)},
	{"counts forgeries as opened", "FailureZeroesPlaintext", ciphers.AES128GCM, opens(func(inner ciphers.AEAD, b ciphers.Burst) int {
		inner.Open(b)
		return len(b.Index)
	})},
	{"allocates", "NoAllocations", ciphers.AES128GCM, afterSeal(func(p *ciphers.Packet) { sink = make([]byte, p.Len+1) })},
	{"leaves the high half out of the ICV", "EveryLength", cbcSHA1, before(func(_ ciphers.Burst, p *ciphers.Packet) { p.High = 0 })},
	{"seals under an IV of its own", "EncryptionKnownAnswers", cbcSHA1, before(func(_ ciphers.Burst, p *ciphers.Packet) { p.IV()[0]++ })},
	{"opens HMACs that Wycheproof forged", "Wycheproof", ciphers.EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA256), opens(openLoosely)},
	{"cuts associated data before the IV", "IntegrityKnownAnswers", cbcSHA1, before(func(_ ciphers.Burst, p *ciphers.Packet) { p.AADLen &^= 1 })},
	{"leaves plaintext of forgeries under CBC", "FailureZeroesPlaintext", cbcSHA1, opens(openKeeping)},
	{"keeps the spec's bytes", "KnownAnswers", ciphers.AES128GCM, func(inner ciphers.AEAD) ciphers.AEAD { return lazy{inner} }},
}

// forgetful seals all but the last packet of a row. trusting seals all, and takes those
// that it opens for authentic.
type (
	forgetful struct{ ciphers.AEAD }
	trusting  struct{ forgetful }
)

func (f forgetful) SealRow(ps []ciphers.Packet, slot int) int {
	return f.Seal(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps) - 1), Slot: slot})
}

func (f forgetful) OpenRow(ps []ciphers.Packet, slot int) int {
	return f.Open(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps)), Slot: slot})
}

func (f trusting) SealRow(ps []ciphers.Packet, slot int) int {
	return f.Seal(ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps)), Slot: slot})
}

func (f trusting) OpenRow(ps []ciphers.Packet, slot int) int {
	f.forgetful.OpenRow(ps, slot)
	for i := range ps {
		ps[i].Status = ciphers.StatusOK
	}
	return len(ps)
}

// cbcSHA1 is an algorithm of two parts.
var cbcSHA1 = ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA1)

// sink makes an allocation escape.
var sink []byte

func writeSpare(p *ciphers.Packet) {
	if rest := p.Buf[int(p.Off)+int(p.Len)+p.Key.TagSize():]; len(rest) > 0 {
		rest[0] = 0
	}
}

func opens(open func(ciphers.AEAD, ciphers.Burst) int) breakage {
	return func(inner ciphers.AEAD) ciphers.AEAD { return brokenAEAD{AEAD: inner, open: open} }
}

func sealsAtMost(most int) breakage {
	return func(inner ciphers.AEAD) ciphers.AEAD {
		return brokenAEAD{AEAD: inner, seal: func(inner ciphers.AEAD, b ciphers.Burst) int {
			b.Index = b.Index[:min(len(b.Index), most)]
			return inner.Seal(b)
		}}
	}
}

// sealsAll does not look at Index but at how many it names.
func sealsAll(inner ciphers.AEAD) ciphers.AEAD {
	return brokenAEAD{AEAD: inner, seal: func(inner ciphers.AEAD, b ciphers.Burst) int {
		b.Index = ciphers.Identity(len(b.Index))
		return inner.Seal(b)
	}}
}

// inFirstSlot takes the state of the first slot, whatever Slot says.
func inFirstSlot(inner ciphers.AEAD) ciphers.AEAD {
	run := func(do func(ciphers.Burst) int) func(ciphers.AEAD, ciphers.Burst) int {
		return func(_ ciphers.AEAD, b ciphers.Burst) int {
			b.Slot = ciphers.SlotBulk
			return do(b)
		}
	}
	return brokenAEAD{AEAD: inner, seal: run(inner.Seal), open: run(inner.Open)}
}

// openLoosely does not compare the last byte of tags: it finds one that fits.
func openLoosely(inner ciphers.AEAD, b ciphers.Burst) (ok int) {
	for n, i := range b.Index {
		p := &b.Packets[i]
		wire := p.Received()
		received := bytes.Clone(wire)
		one := ciphers.Burst{Packets: b.Packets, Index: b.Index[n : n+1], Slot: b.Slot}
		done := inner.Open(one)
		for last := 0; done == 0 && last < 256; last++ {
			copy(wire, received)
			wire[len(wire)-1] = byte(last)
			done = inner.Open(one)
		}
		wire[len(wire)-1] = received[len(received)-1]
		ok += done
	}
	return ok
}

// openKeeping leaves what lay in the plaintext's place when opening fails.
func openKeeping(inner ciphers.AEAD, b ciphers.Burst) (ok int) {
	for n, i := range b.Index {
		opened := b.Packets[i].Opened(b.Packets[i].Key.TagSize())
		before := bytes.Clone(opened)
		done := inner.Open(ciphers.Burst{Packets: b.Packets, Index: b.Index[n : n+1], Slot: b.Slot})
		if done == 0 {
			copy(opened, before)
		}
		ok += done
	}
	return ok
}

// openUntilBad opens nothing behind the first forgery.
func openUntilBad(inner ciphers.AEAD, b ciphers.Burst) (ok int) {
	for n := range b.Index {
		done := inner.Open(ciphers.Burst{Packets: b.Packets, Index: b.Index[n : n+1], Slot: b.Slot})
		if done == 0 {
			return ok
		}
		ok += done
	}
	return ok
}

// lazy expands a key when it is first used, from the bytes of the spec.
type lazy struct{ ciphers.AEAD }

func (l lazy) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	st.Object = &lazyKey{spec: *spec}
	return nil
}

type lazyKey struct{ spec ciphers.KeySpec }

func (l lazy) Seal(b ciphers.Burst) int { return l.ready(b, l.AEAD.Seal) }

func (l lazy) Open(b ciphers.Burst) int { return l.ready(b, l.AEAD.Open) }

func (l lazy) ready(b ciphers.Burst, do func(ciphers.Burst) int) int {
	for _, i := range b.Index {
		st := b.Packets[i].Key.State(b.Slot)
		if k, ok := st.Object.(*lazyKey); ok {
			if err := l.AEAD.Expand(st, &k.spec); err != nil {
				return 0
			}
		}
	}
	return do(b)
}
