package hpmask

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// scene is a burst of packets under keys of a tier, and the same burst under the
// same keys as the portable tier has them.
type scene struct {
	packets, twins []ciphers.Packet
	dst, want      []byte
}

// newScene makes n packets with random samples; packet i is under key keyOf(i).
func newScene(t testing.TB, tier tier, n int, keyOf func(i int) int) *scene {
	t.Helper()
	src := rand.NewPCG(rand.Uint64(), uint64(n))
	s := &scene{dst: make([]byte, n*ciphers.MaskSize), want: make([]byte, n*ciphers.MaskSize)}
	keys := map[int]ciphers.Packet{}
	for i := range n {
		id := keyOf(i)
		if keys[id].MaskKey == nil {
			secret := random(src, tier.alg.KeySize())
			keys[id] = ciphers.Packet{
				MaskKey: newKey(t, tier.alg, tier.masker, secret),
				Key:     newKey(t, tier.alg, portable(tier.alg), secret),
			}
		}
		p := ciphers.Packet{Buf: random(src, 64), SampleOff: uint16(i % 49), MaskKey: keys[id].MaskKey}
		s.packets = append(s.packets, p)
		p.MaskKey = keys[id].Key
		s.twins = append(s.twins, p)
	}
	return s
}

func newKey(t testing.TB, alg ciphers.Algorithm, masker ciphers.Masker, secret []byte) *ciphers.Key {
	t.Helper()
	key, err := ciphers.NewKey(&ciphers.KeySpec{Algorithm: alg, Key: secret}, &ciphers.Plan{Mask: masker}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func random(src rand.Source, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(src.Uint64())
	}
	return b
}

func oneKey(int) int { return 0 }

func ownKey(i int) int { return i }

// compare masks the scene with the tier, also as a row where the tier can, and with
// the portable tier.
func compare(t *testing.T, tier tier, s *scene) {
	t.Helper()
	compareAt(t, tier, s, ciphers.Identity(len(s.packets)))
	if row, ok := tier.masker.(ciphers.RowMasker); ok {
		s.fill()
		row.MaskRow(s.dst, s.packets)
		portable(tier.alg).Mask(s.want, ciphers.Burst{Packets: s.twins, Index: ciphers.Identity(len(s.packets))})
		s.same(t, nil)
	}
}

// fill spoils every mask's place.
func (s *scene) fill() {
	for i := range s.dst {
		s.dst[i], s.want[i] = 0xA5, 0xA5
	}
}

// compareAt masks the packets of index, and looks at every mask's place.
func compareAt(t *testing.T, tier tier, s *scene, index []uint8) {
	t.Helper()
	s.fill()
	tier.masker.Mask(s.dst, ciphers.Burst{Packets: s.packets, Index: index})
	portable(tier.alg).Mask(s.want, ciphers.Burst{Packets: s.twins, Index: index})
	s.same(t, index)
}

func (s *scene) same(t *testing.T, index []uint8) {
	t.Helper()
	for i := range s.packets {
		got, want := s.dst[i*ciphers.MaskSize:][:ciphers.MaskSize], s.want[i*ciphers.MaskSize:][:ciphers.MaskSize]
		if !bytes.Equal(got, want) {
			t.Fatalf("packet %d of %d, index %v: mask %x, want %x", i, len(s.packets), index, got, want)
		}
	}
}
