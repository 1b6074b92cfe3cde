package cipherstest

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
)

// knownMasks are the samples and masks of RFC 9001 appendix A and RFC 9369
// appendix A.
var knownMasks = []struct {
	alg                     ciphers.Algorithm
	name, key, sample, mask string
}{
	{ciphers.MaskAES128, "RFC 9001 A.2", "9f50449e04a0e810283a1e9933adedd2", "d1b1c98dd7689fb8ec11d242b123dc9b", "437b9aec36"},
	{ciphers.MaskAES128, "RFC 9001 A.3", "c206b8d9b9f0f37644430b490eeaa314", "2cd0991cd25b0aac406a5816b6394100", "2ec0d8356a"},
	{ciphers.MaskAES128, "RFC 9369 A.2", "45b95e15235d6f45a6b19cbcb0294ba9", "ffe67b6abcdb4298b485dd04de806071", "94a0c95e80"},
	{ciphers.MaskAES128, "RFC 9369 A.3", "edf6d05c83121201b436e16877593c3a", "6f05d8a4398c47089698baeea26b91eb", "4dd92e91ea"},
	{ciphers.MaskChaCha20, "RFC 9001 A.5", "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4", "5e5cd55c41f69080575d7999c25a5bfb", "aefefe7d03"},
	{ciphers.MaskChaCha20, "RFC 9369 A.5", "d659760d2ba434a226fd37b35c69e2da8211d10c4f12538787d65645d5d1b8e2", "e7b6b932bc27d786f4bc2bb20f2162ba", "97580e32bf"},
	{ciphers.MaskAES256, "FIPS 197 C.3", counting(0, 0x1f), "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"},
}

func testKnownMasks(t *testing.T, s maskSubject) {
	for _, k := range knownMasks {
		if k.alg != s.alg {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			key := s.newKey(t, unhex(t, k.key))
			dst := make([]byte, ciphers.MaskSize)
			Run{}.Mask(s.impl, dst, []ciphers.Packet{{Buf: unhex(t, k.sample), MaskKey: key.key}})
			if want := unhex(t, k.mask); !bytes.Equal(dst[:len(want)], want) {
				t.Errorf("mask %x, want %x", dst, want)
			}
		})
	}
}

// testSampleOffsets takes samples at every alignment, in bursts of every size.
func testSampleOffsets(t *testing.T, s maskSubject) {
	src := source("sample offsets")
	key := s.newKey(t, random(src, s.alg.KeySize()))
	for n := 1; n <= ciphers.MaxBurst; n++ {
		s.newMaskScene(n, 33, func(int) maskKey { return key }).run(t, s.impl, nil)
	}
}

func testMixedMaskKeys(t *testing.T, s maskSubject) {
	all := s.manyKeys(t, 64)
	for _, order := range []func(i int) int{
		func(i int) int { return i },
		func(i int) int { return i & 1 },
		func(i int) int { return i / 3 },
		func(i int) int { return i / 4 },
	} {
		s.newMaskScene(len(all), 40, func(i int) maskKey { return all[order(i)] }).run(t, s.impl, nil)
	}
}

func (s maskSubject) manyKeys(t testing.TB, n int) (all []maskKey) {
	src := source("mask keys")
	for range n {
		all = append(all, s.newKey(t, random(src, s.alg.KeySize())))
	}
	return all
}

// testBlockCounter has samples whose first word, which ChaCha20 takes for its
// block counter (RFC 9001 section 5.4.4), is at its ends. One block never makes
// it wrap, so all of them have masks.
func testBlockCounter(t *testing.T, s maskSubject) {
	key := s.manyKeys(t, 1)[0]
	counters := []uint32{math.MaxUint32, math.MaxUint32 - 1, 0, 1, 1 << 31, math.MaxInt32, 0xFF, 0xFFFF}
	m := s.newMaskScene(len(counters), 40, func(int) maskKey { return key })
	for i, n := range counters {
		binary.LittleEndian.PutUint32(m.packets[i].Sample(), n)
	}
	m.run(t, s.impl, nil)
}

// testPartialMasks masks part of a burst in a random order; the masks of the
// others are not written.
func testPartialMasks(t *testing.T, s maskSubject) {
	all := s.manyKeys(t, 5)
	src := source("partial masks")
	for _, n := range []int{1, 2, 7, 16, 33, ciphers.MaxBurst} {
		order := slices.Clone(ciphers.Identity(n))
		shuffle(src, order)
		for _, taken := range []int{n, (n + 1) / 2, 0} {
			s.newMaskScene(n, 40, func(i int) maskKey { return all[i%5] }).run(t, s.impl, order[:taken])
		}
	}
}

func testMaskAllocations(t *testing.T, s maskSubject) {
	if race.Uncounted {
		t.Log("not counted in this build")
		return
	}
	all := s.manyKeys(t, 4)
	m := s.newMaskScene(32, 40, func(i int) maskKey { return all[i&3] })
	index := make([]uint8, 0, ciphers.MaxBurst)
	if n := testing.AllocsPerRun(20, func() {
		valid, _ := ciphers.MaskBorder(m.dst, m.packets, index)
		s.impl.Mask(m.dst, ciphers.Burst{Packets: m.packets, Index: valid})
	}); n != 0 {
		t.Errorf("%v allocations a burst of 32", n)
	}
}

func testMaskConcurrency(t *testing.T, s maskSubject) {
	all := s.manyKeys(t, 3)
	var work sync.WaitGroup
	for worker := range 8 {
		m := s.newMaskScene(48, 40, func(i int) maskKey { return all[(i+worker)%3] })
		want := slices.Clone(m.dst)
		m.expect(t, want, nil)
		work.Go(func() {
			for range 50 {
				clear(m.dst[:48*ciphers.MaskSize])
				Run{}.Mask(s.impl, m.dst, m.packets)
				if !bytes.Equal(m.dst, want) {
					t.Errorf("worker %d: a burst went wrong beside others", worker)
					return
				}
			}
		})
	}
	work.Wait()
}

func testMaskClose(t *testing.T, s maskSubject) {
	closed, open := s.manyKeys(t, 1)[0], s.manyKeys(t, 2)[1]
	m := s.newMaskScene(3, 40, func(i int) maskKey { return []maskKey{open, closed, open}[i] })
	closeAndLook(t, closed.key)
	want := slices.Clone(m.dst)
	m.expect(t, want, []uint8{0, 2})
	clear(want[ciphers.MaskSize:][:ciphers.MaskSize])
	Run{}.Mask(s.impl, m.dst, m.packets)
	m.compare(t, m.dst, want)
	if got := m.packets[1].Status; got != ciphers.StatusKeyClosed {
		t.Errorf("status %v, want %v", got, ciphers.StatusKeyClosed)
	}
}
