package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// broken spoils what an AEAD does, after it did it.
type broken struct {
	ciphers.AEAD
	expand error
	seal   func(p *Packet)
	open   func(p *Packet)
	count  int // that many too few
}

func (b *broken) Expand(st *ciphers.State, spec *KeySpec) error {
	if b.expand != nil {
		return b.expand
	}
	return b.AEAD.Expand(st, spec)
}

func (b *broken) Seal(burst ciphers.Burst) int {
	return spoil(burst, b.AEAD.Seal(burst), b.seal) - b.count
}
func (b *broken) Open(burst ciphers.Burst) int {
	return spoil(burst, b.AEAD.Open(burst), b.open) - b.count
}

func spoil(b ciphers.Burst, ok int, f func(p *Packet)) int {
	for _, i := range b.Index {
		if f != nil {
			f(&b.Packets[i])
		}
	}
	return ok
}

func flipFirst(p *Packet) { p.Buf[p.Off] ^= 1 }

func flipBehind(p *Packet) { p.Buf[int(p.Off)+int(p.Len)+p.Key.TagSize()] ^= 1 }

// lenient opens whatever comes.
func lenient(p *Packet) { p.Status = ciphers.StatusOK }

// leaky leaves a byte of a forgery's plaintext.
func leaky(p *Packet) {
	if p.Status == ciphers.StatusAuth && len(p.Opened(p.Key.TagSize())) > 0 {
		p.Opened(p.Key.TagSize())[0] = 1
	}
}

// harsh refuses what is authentic.
func harsh(p *Packet) { p.Status = ciphers.StatusAuth }

func opensWrongly(p *Packet) {
	if p.Status == ciphers.StatusOK && p.Len > 900 {
		p.Buf[p.Off] ^= 1
	}
}

func opensBeyond(p *Packet) { p.Buf[int(p.Off)+int(p.Len)] ^= 1 }

var errExpand = errors.New("no memory")

func TestSelfTestRefusesBrokenImplementations(t *testing.T) {
	for _, c := range []struct {
		name string
		impl broken
		want error
	}{
		{"cannot expand", broken{expand: errExpand}, errExpand},
		{"wrong ciphertext", broken{seal: flipFirst}, ErrKnownAnswer},
		{"writes behind the tag", broken{seal: flipBehind}, ErrKnownAnswer},
		{"says less than it sealed", broken{count: 1}, ErrKnownAnswer},
		{"accepts forgeries", broken{open: lenient}, ErrForgery},
		{"leaves plaintext of forgeries", broken{open: leaky}, ErrForgery},
		{"refuses what is authentic", broken{open: harsh}, ErrKnownAnswer},
		{"wrong plaintext", broken{open: opensWrongly}, ErrKnownAnswer},
		{"writes behind what it opens", broken{open: opensBeyond}, ErrKnownAnswer},
	} {
		for _, alg := range packetAEADs() {
			best, next := fake(t, "best", 2, alg), fake(t, "next", 1, alg)
			c.impl.AEAD = best.AEADs[alg]
			best.AEADs[alg] = &c.impl
			e := only(t, best, next)
			if got := serving(t, e, alg); got != "next" {
				t.Errorf("%s, %v: %s serves, want next", c.name, alg, got)
			}
			if got := refusedFor(e, alg, "best"); got != c.want.Error() {
				t.Errorf("%s, %v: refused because %q, want %q", c.name, alg, got, c.want)
			}
		}
	}
}

// panicky calls nothing and panics.
type panicky struct {
	ciphers.AEAD
	expand, seal bool
}

func (p *panicky) Expand(st *ciphers.State, spec *KeySpec) error {
	if p.expand {
		panic("no such table")
	}
	return p.AEAD.Expand(st, spec)
}

func (p *panicky) Seal(b ciphers.Burst) int {
	if p.seal {
		_ = b.Packets[len(b.Packets)]
	}
	return p.AEAD.Seal(b)
}

func TestPanicInTheSelfTestIsRefused(t *testing.T) {
	const alg = ciphers.AES128GCM
	for says, impl := range map[string]panicky{
		"no such table": {expand: true}, "index out of range [16]": {seal: true},
	} {
		best, next := fake(t, "best", 2, alg), fake(t, "next", 1, alg)
		impl.AEAD = best.AEADs[alg]
		best.AEADs[alg] = &impl
		e := only(t, best, next)
		if got, why := serving(t, e, alg), refusedFor(e, alg, "best"); got != "next" || !strings.Contains(why, says) {
			t.Errorf("%s serves; best was refused because %q, want %q", got, why, says)
		}
		if _, err := New(Config{Available: []*ciphers.Backend{best}, Backend: "best", IgnoreEnvironment: true}); !errors.Is(err, ErrPin) || !errors.Is(err, ErrPanic) {
			t.Errorf("pinned: %v", err)
		}
	}
	b := &ciphers.Backend{Name: "x", Exchanges: map[Algorithm]ciphers.Exchanger{ciphers.X25519: struct{ ciphers.Exchanger }{}}}
	if _, err := New(Config{Available: []*ciphers.Backend{b}, Backend: "x", IgnoreEnvironment: true}); !errors.Is(err, ErrPanic) {
		t.Errorf("a group: %v", err)
	}
}

// wrongMasks makes the mask of the last packet wrong.
type wrongMasks struct{ ciphers.Masker }

func (w wrongMasks) Mask(dst []byte, b ciphers.Burst) {
	w.Masker.Mask(dst, b)
	dst[16*int(b.Index[len(b.Index)-1])+15] ^= 0x80
}

// wrongRows is right but for the last mask of a row.
type wrongRows struct{ ciphers.Masker }

func (w wrongRows) MaskRow(dst []byte, ps []Packet) {
	wrongMasks(w).Mask(dst, ciphers.Burst{Packets: ps, Index: ciphers.Identity(len(ps))})
}

func TestSelfTestRefusesWrongMasks(t *testing.T) {
	wrong := func(alg Algorithm, spoil func(ciphers.Masker) ciphers.Masker) {
		best, next := fake(t, "best", 2, alg), fake(t, "next", 1, alg)
		best.Masks[alg] = spoil(best.Masks[alg])
		e := only(t, best, next)
		if got := serving(t, e, alg); got != "next" {
			t.Errorf("%v: %s serves, want next", alg, got)
		}
		if got := refusedFor(e, alg, "best"); got != ErrKnownAnswer.Error() {
			t.Errorf("%v: refused because %q", alg, got)
		}
	}
	for _, alg := range packetAlgorithms() {
		if alg.IsMask() {
			wrong(alg, func(m ciphers.Masker) ciphers.Masker { return wrongMasks{m} })
			wrong(alg, func(m ciphers.Masker) ciphers.Masker { return wrongRows{m} })
		}
	}
}
