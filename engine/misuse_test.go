package engine

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// misuse is a mistake in one packet, its Status and the field that its error names.
type misuse struct {
	name  string
	spoil func(p *Packet)
	want  Status
	field string
}

// mistakes are those that sealing and opening refuse alike; the packet is
// sealable's, of 100 bytes.
func mistakes(closed, foreign, mask, other *Key) []misuse {
	return []misuse{
		{"no key", func(p *Packet) { p.Key = nil }, ciphers.StatusKey, "Key"},
		{"mask key", func(p *Packet) { p.Key = mask }, ciphers.StatusKey, "Key"},
		{"another engine's key", func(p *Packet) { p.Key = foreign }, ciphers.StatusKey, "Key"},
		{"key of the other direction", func(p *Packet) { p.Key = other }, ciphers.StatusDirection, "Key"},
		{"closed key", func(p *Packet) { p.Key = closed }, ciphers.StatusKeyClosed, ""},
		{"payload outside its buffer", func(p *Packet) { p.Off, p.AADLen = 90, 0 }, ciphers.StatusPayload, "Len"},
		{"associated data outside the buffer", func(p *Packet) { p.AADOff = 95 }, ciphers.StatusAAD, "AADOff"},
		{"associated data in the payload", func(p *Packet) { p.AADLen = 21 }, ciphers.StatusAAD, "AADOff"},
		{"too much associated data", func(p *Packet) { p.Prefix = make([]byte, 1<<16) }, ciphers.StatusAAD, "AADOff"},
		{"short Plain", func(p *Packet) { p.Plain = make([]byte, 63) }, ciphers.StatusPlain, "Plain"},
		{"Plain shifted by 1", func(p *Packet) { p.Plain = p.Buf[21:] }, ciphers.StatusOverlap, "Plain"},
		{"Plain shifted by 3", func(p *Packet) { p.Plain = p.Buf[17:] }, ciphers.StatusOverlap, "Plain"},
	}
}

func TestMistakeHasItsStatusAndTouchesNothingElse(t *testing.T) {
	e, another := portable(t), portable(t)
	for _, d := range []ciphers.Direction{ciphers.Sealing, ciphers.Opening} {
		spec := specOf(ciphers.AES128GCM, d)
		good, closed := mustKey(t, e, spec), mustKey(t, e, spec)
		closed.Close()
		mask := mustKey(t, e, specOf(ciphers.MaskAES128, 0))
		other := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing+ciphers.Opening-d))
		cases := mistakes(closed, mustKey(t, another, spec), mask, other)
		if d == ciphers.Sealing {
			cases = append(cases,
				misuse{"no room for the tag", func(p *Packet) { p.Buf = p.Buf[:99] }, ciphers.StatusTailroom, "Buf"},
				misuse{"long payload", func(p *Packet) { p.Len = 1 << 16 }, ciphers.StatusTooLong, "Len"})
		} else {
			cases = append(cases, misuse{"shorter than the tag", func(p *Packet) { p.Len = 15 }, ciphers.StatusPayload, "Len"})
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) { c.try(t, e, good) })
		}
	}
}

// try spoils the middle one of five packets.
func (c *misuse) try(t *testing.T, e *Engine, k *Key) {
	ps, call := sealable(k, 5), e.Seal
	if k.Direction() == ciphers.Opening {
		seal := mustKey(t, e, specOf(k.Algorithm(), ciphers.Sealing))
		for i := range ps {
			ps[i].Key = seal
		}
		e.Seal(ps)
		ps, call = openable(ps, k), e.Open
	}
	bad := &ps[2]
	c.spoil(bad)
	buf, plain := bytes.Clone(bad.Buf), bytes.Clone(bad.Plain)
	before := e.Stats().Causes[c.want.String()]
	if ok := call(ps); ok != 4 {
		t.Errorf("%d of 5 succeeded, want 4", ok)
	}
	for i := range ps {
		want := ciphers.StatusOK
		if i == 2 {
			want = c.want
		}
		wantStatus(t, &ps[i], want)
	}
	if !bytes.Equal(bad.Buf, buf) || !bytes.Equal(bad.Plain, plain) {
		t.Error("the packet was touched")
	}
	var field *ciphers.FieldError
	if err := bad.Status.Err(); errors.As(err, &field) != (c.field != "") || field != nil && field.Field != c.field {
		t.Errorf("error %v, want one that names %q", err, c.field)
	} else if c.want == ciphers.StatusKey && !strings.Contains(err.Error(), "of another engine") {
		t.Errorf("error %v does not think of another engine", err)
	}
	if got := e.Stats().Causes[c.want.String()] - before; got != 1 {
		t.Errorf("%d packets counted as %v, want 1", got, c.want)
	}
}

func TestWrongKeySpecsNameTheirField(t *testing.T) {
	e := portable(t)
	for _, c := range []struct {
		field string
		spoil func(s *KeySpec)
	}{
		{"Algorithm", func(s *KeySpec) { s.Algorithm = 0 }},
		{"Algorithm", func(s *KeySpec) { s.Algorithm = ciphers.X25519 }},
		{"Key", func(s *KeySpec) { s.Key = s.Key[1:] }},
		{"Key", func(s *KeySpec) { s.Key = nil }},
		{"Direction", func(s *KeySpec) { s.Direction = 0 }},
		{"Nonce", func(s *KeySpec) { s.Nonce = 0 }},
		{"IV", func(s *KeySpec) { s.IV = s.IV[:11] }},
		{"TagSize", func(s *KeySpec) { s.TagSize = 15 }},
	} {
		spec := specOf(ciphers.AES128GCM, ciphers.Sealing)
		c.spoil(&spec)
		_, err := e.NewKey(spec)
		var field *ciphers.FieldError
		if !errors.As(err, &field) || field.Field != c.field {
			t.Errorf("error %v, want one that names %s", err, c.field)
		}
	}
}

func TestClosedEngineRefusesEverything(t *testing.T) {
	e := portable(t)
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	aead, err := e.AEAD(ciphers.AES128GCM, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	e.Close()
	e.Close()
	masks := make([]byte, 64)
	for name, call := range map[string]func([]Packet) int{
		"Seal": e.Seal, "Open": e.Open,
		"Mask":     func(ps []Packet) int { return e.Mask(masks, ps) },
		"SealMask": func(ps []Packet) int { return e.SealMask(masks, ps) },
	} {
		ps := sealable(k, 2)
		if ok := call(ps); ok != 0 || ps[0].Status != ciphers.StatusEngine || ps[1].Status != ciphers.StatusEngine {
			t.Errorf("%s: %d, %v, %v", name, ok, ps[0].Status, ps[1].Status)
		}
	}
	if err := ciphers.StatusEngine.Err(); !errors.Is(err, ErrClosed) {
		t.Errorf("StatusEngine is %v", err)
	}
	if _, err := e.NewKey(specOf(ciphers.AES128GCM, ciphers.Sealing)); !errors.Is(err, ErrClosed) {
		t.Errorf("NewKey: %v", err)
	}
	if _, err := e.AEAD(ciphers.AES128GCM, make([]byte, 16)); !errors.Is(err, ErrClosed) {
		t.Errorf("AEAD: %v", err)
	}
	for _, n := range []int{16, 70000} {
		if _, err := aead.Open(nil, make([]byte, 12), make([]byte, n), nil); !errors.Is(err, ErrClosed) || !errors.Is(err, ciphers.ErrKeyClosed) {
			t.Errorf("AEAD.Open of %d bytes: %v", n, err)
		}
	}
	wantPanic(t, "closed", func() { aead.Seal(nil, make([]byte, 12), nil, nil) })
	wantPanic(t, "closed", func() { aead.Seal(nil, make([]byte, 12), make([]byte, 70000), nil) })
}
