package cipherstest

import (
	"errors"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// limits are the implementation's own, or those of package ciphers.
func (s subject) limits() ciphers.Limits {
	if limited, ok := s.impl.(ciphers.Limited); ok {
		return limited.Limits()
	}
	return ciphers.Limits{AAD: ciphers.MaxAAD, Message: ciphers.MaxAAD + ciphers.MaxPayload, TagSizes: s.alg.TagSizes()}
}

func (s subject) tagSizes() []int { return s.limits().TagSizes }

// forms are the shapes of key that the implementation takes, the full tag first.
func (s subject) forms() []form {
	tags := s.tagSizes()
	return slices.DeleteFunc(forms(s.alg), func(f form) bool { return !slices.Contains(tags, f.tag) })
}

// limit expects of the packets that go beyond the limits of the implementation that
// they are refused, and what else is wrong with them goes unseen.
func (s *scene) limit(impl ciphers.AEAD) {
	limited, ok := impl.(ciphers.Limited)
	if !ok {
		return
	}
	limits := limited.Limits()
	for i := range s.packets {
		p := &s.packets[i]
		if s.status[i] != ciphers.StatusOK && s.status[i] != ciphers.StatusAuth {
			continue
		}
		aad := len(p.Prefix) + int(p.AADLen)
		pair := p.Key.Algorithm().Integrity() != 0
		if status := limits.Refuses(pair, aad, aad+p.Key.ExplicitSize(), s.places[i].n); status != ciphers.StatusNone {
			s.refuseLate(i, status)
		}
	}
}

// testLimits makes keys with every tag, and wants those refused that the
// implementation does not take. Packets beyond its limits are in every other test.
func testLimits(t *testing.T, s subject) {
	l := s.limits()
	if !slices.Contains(l.TagSizes, s.alg.TagSizes()[0]) {
		t.Error("the full tag is not among the limits'")
	}
	if l.AAD < 13 || l.Message < 1500 {
		t.Errorf("limits below what protocols need: %+v", l)
	}
	w := newWriter("limits")
	for _, f := range forms(s.alg) {
		if slices.Contains(l.TagSizes, f.tag) {
			continue
		}
		spec := ciphers.KeySpec{
			Algorithm: s.alg, Direction: ciphers.Sealing, Key: random(w.src, s.alg.KeySize()), Nonce: f.nonce, IV: random(w.src, f.iv), TagSize: f.tag,
		}
		var field *ciphers.FieldError
		if _, err := ciphers.NewKey(&spec, &ciphers.Plan{Bulk: s.impl}, nil); !errors.As(err, &field) || field.Field != "TagSize" {
			t.Errorf("%v: %v", f, err)
		}
	}
}
