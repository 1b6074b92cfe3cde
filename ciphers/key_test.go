package ciphers

import (
	"errors"
	"slices"
	"testing"
	"unsafe"
)

func TestKeySpecCheck(t *testing.T) {
	gcm, ccm := xor(Sealing), spec(AES128CCM, Opening, NonceExplicit, 3)
	chacha, mask := spec(ChaCha20Poly1305, Sealing, NonceXOR, 12), KeySpec{Algorithm: MaskChaCha20, Key: make([]byte, 32)}
	for _, c := range []struct {
		name   string
		base   KeySpec
		change func(s *KeySpec)
		field  string
	}{
		{"GCM", gcm, func(s *KeySpec) {}, ""},
		{"GCM, tag 8", gcm, func(s *KeySpec) { s.TagSize = 8 }, ""},
		{"GCM, explicit", gcm, func(s *KeySpec) { s.Nonce = NonceExplicit; s.IV = make([]byte, 4) }, ""},
		{"CCM, explicit 3", ccm, func(s *KeySpec) {}, ""},
		{"CCM, explicit 4", ccm, func(s *KeySpec) { s.IV = make([]byte, 4) }, ""},
		{"CCM, XOR 11", ccm, func(s *KeySpec) { s.Nonce = NonceXOR; s.IV = make([]byte, 11) }, ""},
		{"CCM, XOR 13", ccm, func(s *KeySpec) { s.Nonce = NonceXOR; s.IV = make([]byte, 13) }, ""},
		{"ChaCha20", chacha, func(s *KeySpec) { s.TagSize = 16 }, ""},
		{"mask", mask, func(s *KeySpec) {}, ""},

		{"zero", KeySpec{}, func(s *KeySpec) {}, "Algorithm"},
		{"no algorithm", gcm, func(s *KeySpec) { s.Algorithm = numAlgorithms }, "Algorithm"},
		{"algorithm 255", gcm, func(s *KeySpec) { s.Algorithm = 255 }, "Algorithm"},
		{"an exchange", gcm, func(s *KeySpec) { s.Algorithm = X25519 }, "Algorithm"},
		{"no key", gcm, func(s *KeySpec) { s.Key = nil }, "Key"},
		{"short key", gcm, func(s *KeySpec) { s.Key = s.Key[:15] }, "Key"},
		{"long key", gcm, func(s *KeySpec) { s.Key = make([]byte, 17) }, "Key"},
		{"mask, short key", mask, func(s *KeySpec) { s.Key = s.Key[:16] }, "Key"},
		{"no direction", gcm, func(s *KeySpec) { s.Direction = 0 }, "Direction"},
		{"third direction", gcm, func(s *KeySpec) { s.Direction = 3 }, "Direction"},
		{"no nonce", gcm, func(s *KeySpec) { s.Nonce = 0 }, "Nonce"},
		{"third nonce", gcm, func(s *KeySpec) { s.Nonce = 3 }, "Nonce"},
		{"no IV", gcm, func(s *KeySpec) { s.IV = nil }, "IV"},
		{"XOR 10", ccm, func(s *KeySpec) { s.Nonce = NonceXOR; s.IV = make([]byte, 10) }, "IV"},
		{"GCM, XOR 11", gcm, func(s *KeySpec) { s.IV = make([]byte, 11) }, "IV"},
		{"XOR 14", ccm, func(s *KeySpec) { s.Nonce = NonceXOR; s.IV = make([]byte, 14) }, "IV"},
		{"GCM, XOR 13", gcm, func(s *KeySpec) { s.IV = make([]byte, 13) }, "IV"},
		{"GCM, explicit 3", gcm, func(s *KeySpec) { s.Nonce = NonceExplicit; s.IV = make([]byte, 3) }, "IV"},
		{"explicit 12", gcm, func(s *KeySpec) { s.Nonce = NonceExplicit }, "IV"},
		{"explicit 5", ccm, func(s *KeySpec) { s.IV = make([]byte, 5) }, "IV"},
		{"explicit 2", ccm, func(s *KeySpec) { s.IV = make([]byte, 2) }, "IV"},
		{"ChaCha20, explicit 3", chacha, func(s *KeySpec) { s.Nonce = NonceExplicit; s.IV = make([]byte, 3) }, "IV"},
		{"GCM, tag 4", gcm, func(s *KeySpec) { s.TagSize = 4 }, "TagSize"},
		{"GCM, tag -8", gcm, func(s *KeySpec) { s.TagSize = -8 }, "TagSize"},
		{"GCM, tag 256+16", gcm, func(s *KeySpec) { s.TagSize = 272 }, "TagSize"},
		{"ChaCha20, tag 12", chacha, func(s *KeySpec) { s.TagSize = 12 }, "TagSize"},
		{"mask, direction", mask, func(s *KeySpec) { s.Direction = Sealing }, "Direction"},
		{"mask, nonce", mask, func(s *KeySpec) { s.Nonce = NonceXOR }, "Nonce"},
		{"mask, IV", mask, func(s *KeySpec) { s.IV = make([]byte, 12) }, "IV"},
		{"mask, tag", mask, func(s *KeySpec) { s.TagSize = 16 }, "TagSize"},
	} {
		s := c.base
		c.change(&s)
		if err := s.Check(); fieldOf(err) != c.field {
			t.Errorf("%s: %v, want field %q", c.name, err, c.field)
		}
		_, err := NewKey(&s, planFor(s.Algorithm), nil)
		if fieldOf(err) != c.field {
			t.Errorf("%s: NewKey: %v, want field %q", c.name, err, c.field)
		}
	}
}

func planFor(a Algorithm) *Plan {
	if a.IsMask() {
		return maskPlan()
	}
	return aeadPlan()
}

// fieldOf is the field that err names, or nothing for nil.
func fieldOf(err error) string {
	var field *FieldError
	if errors.As(err, &field) {
		return field.Field
	}
	if err != nil {
		return "no FieldError"
	}
	return ""
}

func TestUnknownAlgorithmIsRecognisable(t *testing.T) {
	if err := (&KeySpec{}).Check(); !errors.Is(err, ErrUnknownAlgorithm) {
		t.Errorf("%v is not ErrUnknownAlgorithm", err)
	}
}

func TestNewKeyWantsAPlanThatFits(t *testing.T) {
	aead, mask := xor(Sealing), KeySpec{Algorithm: MaskAES128, Key: make([]byte, 16)}
	n := nothing{}
	for _, c := range []struct {
		name string
		spec KeySpec
		plan *Plan
		ok   bool
	}{
		{"bulk", aead, &Plan{Bulk: n}, true},
		{"bulk and lone", aead, &Plan{Bulk: n, Lone: n, LoneMax: 2}, true},
		{"mask", mask, &Plan{Mask: n}, true},
		{"none", aead, nil, false},
		{"empty", aead, &Plan{}, false},
		{"lone only", aead, &Plan{Lone: n}, false},
		{"mask for an AEAD", aead, &Plan{Mask: n}, false},
		{"both for an AEAD", aead, &Plan{Bulk: n, Mask: n}, false},
		{"none for a mask", mask, nil, false},
		{"bulk for a mask", mask, &Plan{Bulk: n}, false},
		{"both for a mask", mask, &Plan{Bulk: n, Mask: n}, false},
	} {
		k, err := NewKey(&c.spec, c.plan, nil)
		if (err == nil) != c.ok || (k != nil) != c.ok || !c.ok && fieldOf(err) != "Plan" {
			t.Errorf("%s: key %v, error %v", c.name, k != nil, err)
		}
	}
}

func TestKeySaysWhatItIs(t *testing.T) {
	s := spec(AES256CCM, Opening, NonceXOR, 13)
	s.TagSize = 8
	k := mustKey(t, s)
	if k.Algorithm() != AES256CCM || k.Direction() != Opening || k.TagSize() != 8 || k.NonceSize() != 13 || k.Lead() != 0xA5 || k.ExplicitSize() != 0 {
		t.Errorf("%v, direction %d, tag %d, nonce %d, lead %#x, explicit %d",
			k.Algorithm(), k.Direction(), k.TagSize(), k.NonceSize(), k.Lead(), k.ExplicitSize())
	}
	if k := mustKey(t, explicit(Sealing)); k.TagSize() != 16 || k.NonceSize() != 12 || k.ExplicitSize() != 8 {
		t.Errorf("tag %d, nonce %d, explicit %d", k.TagSize(), k.NonceSize(), k.ExplicitSize())
	}
	if k := mustMaskKey(t); k.Direction() != 0 || k.TagSize() != 0 || k.NonceSize() != 0 {
		t.Errorf("mask key: direction %d, tag %d, nonce %d", k.Direction(), k.TagSize(), k.NonceSize())
	}
}

func TestScheduleStartsACacheLine(t *testing.T) {
	for _, size := range []int{0, 1, 16, 63, 64, 65, 512, 1000} {
		s := xor(Sealing)
		k := mustKeyOf(t, s, &Plan{Bulk: nothing{size}, Lone: nothing{size + 1}})
		for slot, want := range []int{size, size + 1} {
			b := k.State(slot).Schedule()
			if len(b) != want || want > 0 && uintptr(unsafe.Pointer(&b[0]))%64 != 0 {
				t.Errorf("slot %d: %d bytes at %p, want %d at a multiple of 64", slot, len(b), b, want)
			}
			if slices.ContainsFunc(b, func(b byte) bool { return b != 0 }) {
				t.Errorf("slot %d: not zero at first", slot)
			}
		}
		if want := int(unsafe.Sizeof(Key{})) + 2*size + 1; k.Size() != want {
			t.Errorf("Size %d, want %d", k.Size(), want)
		}
	}
}
