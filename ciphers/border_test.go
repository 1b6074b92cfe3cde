package ciphers

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// nothing is an AEAD that does nothing, for tests that end at the border.
type nothing struct{ size int }

func (n nothing) ScheduleSize() int           { return n.size }
func (nothing) Expand(*State, *KeySpec) error { return nil }
func (nothing) Seal(b Burst) int              { return len(b.Index) }
func (nothing) Open(b Burst) int              { return len(b.Index) }
func (nothing) Mask([]byte, Burst)            {}
func aeadPlan() *Plan                         { return &Plan{Bulk: nothing{}} }
func maskPlan() *Plan                         { return &Plan{Mask: nothing{}} }
func pattern(n int) []byte                    { return bytes.Repeat([]byte{0xA5}, n) }
func explicit(d Direction) KeySpec            { return spec(AES128GCM, d, NonceExplicit, 4) }
func xor(d Direction) KeySpec                 { return spec(AES128GCM, d, NonceXOR, 12) }
func mustKey(t testing.TB, s KeySpec) *Key    { return mustKeyOf(t, s, aeadPlan()) }
func mustMaskKey(t testing.TB) *Key {
	return mustKeyOf(t, KeySpec{Algorithm: MaskAES128, Key: make([]byte, 16)}, maskPlan())
}

func spec(a Algorithm, d Direction, f NonceForm, iv int) KeySpec {
	return KeySpec{Algorithm: a, Direction: d, Key: pattern(a.KeySize()), Nonce: f, IV: pattern(iv)}
}

func mustKeyOf(t testing.TB, s KeySpec, plan *Plan) *Key {
	t.Helper()
	k, err := NewKey(&s, plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// sealing is a packet with a 13-byte header, 8 bytes of explicit nonce, 20 bytes
// of payload and room for a tag, and nothing more: 57 bytes.
func sealing(k *Key) Packet {
	return Packet{Buf: pattern(57), Key: k, Off: 21, Len: 20, AADLen: 13, IVOff: 13, Number: 7}
}

// opening is the same packet, to be opened.
func opening(k *Key) Packet {
	p := sealing(k)
	p.Len += 16
	return p
}

type borderCase struct {
	name   string
	change func(p *Packet)
	want   Status
}

// common are the cases that sealing and opening judge alike.
var common = []borderCase{
	{"as it is", func(p *Packet) {}, StatusNone},
	{"no key", func(p *Packet) { p.Key = nil }, StatusKey},
	{"zero key", func(p *Packet) { p.Key = new(Key) }, StatusKey},
	{"payload starts behind Buf", func(p *Packet) { p.Off = 58; p.IVOff = 0 }, StatusPayload},
	{"nil Buf", func(p *Packet) { p.Buf = nil }, StatusPayload},
	{"AAD ends at Buf's end, in the tag", func(p *Packet) { p.AADOff = 56; p.AADLen = 1 }, StatusAAD},
	{"AAD ends in the payload", func(p *Packet) { p.AADLen = 22 }, StatusAAD},
	{"AAD ends at the payload", func(p *Packet) { p.AADLen = 21 }, StatusNone},
	{"AAD covers the payload", func(p *Packet) { p.AADLen = 57 }, StatusAAD},
	{"AAD behind Buf", func(p *Packet) { p.AADOff = 57; p.AADLen = 1 }, StatusAAD},
	{"no AAD, AADOff anywhere", func(p *Packet) { p.AADOff = 65535; p.AADLen = 0 }, StatusNone},
	{"AAD behind the tag", func(p *Packet) { p.Buf = pattern(70); p.AADOff = 57 }, StatusNone},
	{"Prefix of 65535", func(p *Packet) { p.Prefix = make([]byte, MaxAAD); p.AADLen = 0 }, StatusNone},
	{"Prefix of 65536", func(p *Packet) { p.Prefix = make([]byte, MaxAAD+1); p.AADLen = 0 }, StatusAAD},
	{"Prefix and AAD of 65536", func(p *Packet) { p.Prefix = make([]byte, MaxAAD-12) }, StatusAAD},
	{"Prefix is the header", func(p *Packet) { p.Prefix = p.Buf[:21] }, StatusNone},
	{"Prefix ends in the payload", func(p *Packet) { p.Prefix = p.Buf[:22] }, StatusAAD},
	{"Prefix is in the tag", func(p *Packet) { p.Prefix = p.Buf[56:] }, StatusAAD},
	{"IV at Buf's start", func(p *Packet) { p.IVOff = 0 }, StatusNone},
	{"IV ends in the payload", func(p *Packet) { p.IVOff = 14 }, StatusIV},
	{"IV in the tag", func(p *Packet) { p.IVOff = 49 }, StatusIV},
	{"IV behind the tag", func(p *Packet) { p.Buf = pattern(65); p.IVOff = 57 }, StatusNone},
	{"IV over Buf's end", func(p *Packet) { p.Buf = pattern(64); p.IVOff = 57 }, StatusIV},
	{"IV at 65535", func(p *Packet) { p.IVOff = 65535 }, StatusIV},
	{"Plain too short", func(p *Packet) { p.Plain = make([]byte, 19) }, StatusPlain},
	{"Plain empty", func(p *Packet) { p.Plain = []byte{} }, StatusPlain},
	{"Plain apart", func(p *Packet) { p.Plain = make([]byte, 20) }, StatusNone},
	{"Plain is the payload", func(p *Packet) { p.Plain = p.Buf[21:] }, StatusNone},
	{"Plain 1 behind", func(p *Packet) { p.Plain = p.Buf[22:] }, StatusOverlap},
	{"Plain 1 before", func(p *Packet) { p.Plain = p.Buf[20:] }, StatusOverlap},
	{"Plain is the end of the tag", func(p *Packet) { b := pattern(80); p.Buf = b[:57]; p.Plain = b[56:] }, StatusOverlap},
	{"Plain right behind the tag", func(p *Packet) { b := pattern(80); p.Buf = b[:57]; p.Plain = b[57:] }, StatusNone},
}

var onlySealing = []borderCase{
	{"payload over Buf's end", func(p *Packet) { p.Len = 37 }, StatusPayload},
	{"payload at Buf's end", func(p *Packet) { p.Len = 36 }, StatusTailroom},
	{"one byte of tag missing", func(p *Packet) { p.Buf = p.Buf[:56] }, StatusTailroom},
	{"Len near 2^32", func(p *Packet) { p.Len = 1<<32 - 1 }, StatusTooLong},
	{"nothing to seal", func(p *Packet) { p.Len = 0 }, StatusNone},
	{"the longest payload", func(p *Packet) { p.Buf = make([]byte, 21+MaxPayload+16); p.Len = MaxPayload }, StatusNone},
	{"a longer one", func(p *Packet) { p.Buf = make([]byte, 22+MaxPayload+16); p.Len = MaxPayload + 1 }, StatusTooLong},
	{"Plain holds the explicit nonce", func(p *Packet) { b := pattern(100); p.Plain = b[:20]; p.Buf = b[19-13 : 63] }, StatusOverlap},
	{"Plain ends before the explicit nonce", func(p *Packet) { b := pattern(100); p.Plain = b[:20]; p.Buf = b[20-13 : 64] }, StatusNone},
}

var onlyOpening = []borderCase{
	{"payload over Buf's end", func(p *Packet) { p.Len = 37 }, StatusPayload},
	{"Len near 2^32", func(p *Packet) { p.Len = 1<<32 - 1 }, StatusPayload},
	{"nothing", func(p *Packet) { p.Len = 0 }, StatusPayload},
	{"a byte less than a tag", func(p *Packet) { p.Len = 15 }, StatusPayload},
	{"a tag alone", func(p *Packet) { p.Len = 16 }, StatusNone},
	{"the longest payload", func(p *Packet) { p.Buf = make([]byte, 21+MaxPayload+16); p.Len = MaxPayload + 16 }, StatusNone},
	{"a longer one", func(p *Packet) { p.Buf = make([]byte, 22+MaxPayload+16); p.Len = MaxPayload + 17 }, StatusTooLong},
	{"Plain is the AAD", func(p *Packet) { b := pattern(100); p.Plain = b[:20]; p.Buf = b[19:76] }, StatusOverlap},
	{"Plain ends before the AAD", func(p *Packet) { b := pattern(100); p.Plain = b[:20]; p.Buf = b[20:77] }, StatusNone},
	{"Plain is the Prefix", func(p *Packet) { p.Plain = make([]byte, 20); p.Prefix = p.Plain[19:] }, StatusOverlap},
	{"Plain ends before the Prefix", func(p *Packet) { b := make([]byte, 24); p.Plain = b[:20]; p.Prefix = b[20:] }, StatusNone},
}

func TestSealBorder(t *testing.T) {
	k, quick := mustKey(t, explicit(Sealing)), mustKey(t, xor(Sealing))
	maskKey, openKey := mustMaskKey(t), mustKey(t, explicit(Opening))
	cases := slices.Concat(common, onlySealing, []borderCase{
		{"mask key", func(p *Packet) { p.Key = maskKey }, StatusKey},
		{"key of the other direction", func(p *Packet) { p.Key = openKey }, StatusDirection},
	})
	for _, c := range cases {
		p := sealing(k)
		c.change(&p)
		judge(t, c, &p, SealBorder)
		judgeXOR(t, c, &p, k, quick, SealBorder)
	}
}

func TestOpenBorder(t *testing.T) {
	k, quick := mustKey(t, explicit(Opening)), mustKey(t, xor(Opening))
	maskKey, sealKey := mustMaskKey(t), mustKey(t, explicit(Sealing))
	cases := slices.Concat(common, onlyOpening, []borderCase{
		{"mask key", func(p *Packet) { p.Key = maskKey }, StatusKey},
		{"key of the other direction", func(p *Packet) { p.Key = sealKey }, StatusDirection},
	})
	for _, c := range cases {
		p := opening(k)
		c.change(&p)
		judge(t, c, &p, OpenBorder)
		judgeXOR(t, c, &p, k, quick, OpenBorder)
	}
}

// judge runs a border over one packet; what it refuses it must not touch.
func judge(t *testing.T, c borderCase, p *Packet, border func([]Packet) (*Plan, bool)) {
	t.Helper()
	before := slices.Clone(p.Buf)
	ps := []Packet{*p}
	ps[0].Status = StatusOK
	plan, alike := border(ps)
	if ps[0].Status != c.want {
		t.Errorf("%s: status %v, want %v", c.name, ps[0].Status, c.want)
	}
	if valid := c.want == StatusNone; valid != (plan != nil) || alike {
		t.Errorf("%s: plan %v, alike %t", c.name, plan, alike)
	}
	if c.want != StatusNone && !bytes.Equal(before, p.Buf) {
		t.Errorf("%s: Buf changed", c.name)
	}
}

// judgeXOR judges the packet again under a key with NonceXOR, where the quick
// checks come first and the explicit nonce does not matter.
func judgeXOR(t *testing.T, c borderCase, p *Packet, explicit, xor *Key, border func([]Packet) (*Plan, bool)) {
	t.Helper()
	if p.Key != explicit {
		return
	}
	p.Key = xor
	c.name += ", XOR"
	if c.want == StatusIV || strings.HasPrefix(c.name, "Plain holds the explicit nonce") {
		c.want = StatusNone
	}
	judge(t, c, p, border)
}

func TestSharedPlan(t *testing.T) {
	a, b := aeadPlan(), aeadPlan()
	ka, kb := mustKeyOf(t, xor(Sealing), a), mustKeyOf(t, xor(Sealing), b)
	for _, c := range []struct {
		name string
		keys []*Key
		want *Plan
	}{
		{"none", nil, nil},
		{"one", []*Key{ka}, a},
		{"two keys of a plan", []*Key{ka, mustKeyOf(t, xor(Sealing), a)}, a},
		{"two plans", []*Key{ka, kb}, nil},
		{"two plans, the second twice", []*Key{ka, kb, kb}, nil},
		{"two plans, the first again", []*Key{ka, kb, ka}, nil},
		{"first refused", []*Key{nil, ka, ka}, nil},
		{"middle refused", []*Key{ka, nil, ka}, nil},
		{"last refused", []*Key{ka, ka, nil}, nil},
	} {
		var ps []Packet
		for _, k := range c.keys {
			ps = append(ps, sealing(k))
		}
		if got, _ := SealBorder(ps); got != c.want {
			t.Errorf("%s: plan %p, want %p", c.name, got, c.want)
		}
	}
}

func TestBorderRefusesClosedKeys(t *testing.T) {
	sealKey, openKey := mustKey(t, explicit(Sealing)), mustKey(t, explicit(Opening))
	sealKey.Close()
	openKey.Close()
	judge(t, borderCase{"closed", nil, StatusKeyClosed}, ptr(sealing(sealKey)), SealBorder)
	judge(t, borderCase{"closed", nil, StatusKeyClosed}, ptr(opening(openKey)), OpenBorder)
}

func ptr[T any](v T) *T { return &v }
