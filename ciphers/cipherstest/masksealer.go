package cipherstest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
)

// TestMaskSealer checks that impl, an implementation of alg, seals as Seal does
// and makes the masks that masker, an implementation of mask, makes from what
// is sealed. impl must accept masker in MasksWith.
func TestMaskSealer(t *testing.T, alg ciphers.Algorithm, impl ciphers.MaskSealer, mask ciphers.Algorithm, masker ciphers.Masker) {
	if !impl.MasksWith(masker) {
		t.Fatalf("%T does not make the masks of %T", impl, masker)
	}
	p := pairSubject{subject{alg, impl}, impl, maskSubject{mask, masker}}
	t.Run("SealsAndMasks", p.testAll)
	t.Run("NoAllocations", p.testAllocations)
}

type pairSubject struct {
	subject
	both ciphers.MaskSealer
	mask maskSubject
}

// pairScene is a burst that is sealed and masked in one pass.
type pairScene struct {
	*scene
	dst, want []byte
}

// newScene takes samples where packets of QUIC and DTLS have them, at the
// payload's start and up to 4 bytes behind it, and elsewhere: in the header, at
// the end of the tag.
func (p pairSubject) newScene(t *testing.T, w *writer, n, keys int) *pairScene {
	aead, masks := p.manyKeys(t, w, keys), p.mask.manyKeys(t, keys)
	var records []record
	for i := range n {
		r := w.mixed(aead[i%keys], i, -1)
		r.spare = 16 // a sample fits behind the payload's start even where there is none
		r.ranged = w.bytes(24)
		records = append(records, r.write())
	}
	s := &pairScene{scene: newScene(ciphers.Sealing, records), dst: canaries(n*ciphers.MaskSize + 32)}
	s.want = slices.Clone(s.dst)
	for i := range n {
		at := s.places[i]
		offsets := []int{at.payload, at.payload + 4, at.tag + aead[i%keys].tag - 16, at.buf, at.payload + 3, at.buf + 3}
		sample := offsets[i%len(offsets)]
		s.packets[i].MaskKey = masks[(i*3)%keys].key
		s.packets[i].SampleOff = uint16(sample - at.buf)
		mask, err := oracleMask(p.mask.alg, masks[(i*3)%keys].secret, s.scene.want[sample:][:ciphers.MaskSize])
		if err != nil {
			t.Fatal(err)
		}
		copy(s.want[i*ciphers.MaskSize:], mask)
	}
	return s
}

func (s *pairScene) run(t *testing.T, impl ciphers.MaskSealer) {
	t.Helper()
	s.check(t, Run{}.SealMask(impl, s.dst, s.packets))
	if !bytes.Equal(s.dst, s.want) {
		t.Fatal("a mask is not what the sealed bytes give, or something was written behind the last")
	}
}

func (p pairSubject) testAll(t *testing.T) {
	w := newWriter("seal and mask")
	for _, keys := range []int{1, 2, 32} {
		for _, n := range []int{1, 2, 3, 8, 17, 32, 64, ciphers.MaxBurst} {
			p.newScene(t, w, n, keys).run(t, p.both)
		}
	}
}

func (p pairSubject) testAllocations(t *testing.T) {
	if race.Uncounted {
		t.Log("not counted in this build")
		return
	}
	s := p.newScene(t, newWriter("seal and mask without allocation"), 32, 4)
	if n := testing.AllocsPerRun(20, func() { ciphers.SealBorder(s.packets); p.both.SealMask(s.dst, s.packets, false) }); n != 0 {
		t.Errorf("%v allocations a burst of 32", n)
	}
}
