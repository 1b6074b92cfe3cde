package cipherstest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// maskSubject is the masker under test and what it serves.
type maskSubject struct {
	alg  ciphers.Algorithm
	impl ciphers.Masker
}

// TestMasker runs the kit over impl as an implementation of alg.
func TestMasker(t *testing.T, alg ciphers.Algorithm, impl ciphers.Masker) {
	s := maskSubject{alg, impl}
	for _, part := range []struct {
		name string
		run  func(*testing.T, maskSubject)
	}{
		{"KnownAnswers", testKnownMasks},
		{"EverySampleOffset", testSampleOffsets},
		{"MixedKeys", testMixedMaskKeys},
		{"BlockCounterAtItsEnd", testBlockCounter},
		{"PartialPermutedIndex", testPartialMasks},
		{"NoAllocations", testMaskAllocations},
		{"ConcurrentUseOfOneKey", testMaskConcurrency},
		{"CloseZeroesTheSchedule", testMaskClose},
	} {
		t.Run(part.name, func(t *testing.T) { part.run(t, s) })
	}
}

// maskKey is a mask key as the implementation and as the oracle have it.
type maskKey struct {
	key    *ciphers.Key
	secret []byte
}

func (s maskSubject) newKey(t testing.TB, secret []byte) maskKey {
	t.Helper()
	spec := ciphers.KeySpec{Algorithm: s.alg, Key: secret}
	return maskKey{newKey(t, spec, 0, &ciphers.Plan{Mask: s.impl}), secret}
}

// maskScene is a burst of packets to be masked and what the destination must
// hold afterwards. Samples and destination lie in random bytes.
type maskScene struct {
	alg     ciphers.Algorithm
	keys    []maskKey
	arena   []byte
	dst     []byte
	packets []ciphers.Packet
}

// newMaskScene takes packet i's sample at offset i*stride+i%7 of one arena.
func (s maskSubject) newMaskScene(n, stride int, key func(i int) maskKey) *maskScene {
	m := &maskScene{alg: s.alg, arena: canaries(n*stride + 64), dst: canaries(n*ciphers.MaskSize + 32)}
	for i := range n {
		m.keys = append(m.keys, key(i))
		m.packets = append(m.packets, ciphers.Packet{
			Buf: m.arena[i*stride:][:stride+32], MaskKey: m.keys[i].key, SampleOff: uint16(i % 7),
		})
	}
	return m
}

// run masks the packets that order names, or all, and checks every byte. All are also
// masked as a row, where impl can.
func (m *maskScene) run(t *testing.T, impl ciphers.Masker, order []uint8) {
	t.Helper()
	m.check(t, order, func(dst []byte) { Run{Order: order}.Mask(impl, dst, m.packets) })
	if row, ok := impl.(ciphers.RowMasker); ok && order == nil {
		m.check(t, nil, func(dst []byte) { Run{}.MaskRow(row, dst, m.packets) })
	}
}

func (m *maskScene) check(t *testing.T, order []uint8, mask func(dst []byte)) {
	t.Helper()
	arena, want := slices.Clone(m.arena), slices.Clone(m.dst)
	m.expect(t, want, order)
	got := slices.Clone(m.dst)
	mask(got)
	if !bytes.Equal(m.arena, arena) {
		t.Error("a packet has changed")
	}
	m.compare(t, got, want)
}

func (m *maskScene) expect(t *testing.T, want []byte, order []uint8) {
	t.Helper()
	if order == nil {
		order = ciphers.Identity(len(m.packets))
	}
	for _, i := range order {
		mask, err := oracleMask(m.alg, m.keys[i].secret, m.packets[i].Sample())
		if err != nil {
			t.Fatal(err)
		}
		copy(want[int(i)*ciphers.MaskSize:], mask)
	}
}

func (m *maskScene) compare(t *testing.T, got, want []byte) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("byte %d of mask %d of %d is %#02x, want %#02x", i%ciphers.MaskSize, i/ciphers.MaskSize, len(m.packets), got[i], want[i])
		}
	}
}
