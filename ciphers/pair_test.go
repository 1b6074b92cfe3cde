package ciphers

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
)

func eachPair(visit func(e Encryption, i Integrity, a Algorithm)) {
	for e := Encryption(1); e < numEncryptions; e++ {
		for i := Integrity(1); i < numIntegrities; i++ {
			visit(e, i, EncryptThenMAC(e, i))
		}
	}
}

// pairSpec is a right spec for an algorithm of two parts.
func pairSpec(a Algorithm, d Direction) KeySpec {
	s := KeySpec{
		Algorithm: a, Direction: d, Key: make([]byte, a.KeySize()), AuthKey: make([]byte, a.AuthKeySize()), Nonce: a.IVForm(),
	}
	if s.Nonce == NonceExplicit {
		s.IV = make([]byte, 4)
	}
	return s
}

func TestPairsAreAlgorithmsOfTwoParts(t *testing.T) {
	seen := map[Algorithm]bool{}
	eachPair(func(e Encryption, i Integrity, a Algorithm) {
		if seen[a] || !a.Valid() || a.IsMask() || a.IsExchange() || a.Encryption() != e || a.Integrity() != i {
			t.Errorf("%d with %d is %v, of %d and %d", e, i, a, a.Encryption(), a.Integrity())
		}
		seen[a] = true
		if back, err := ParseAlgorithm(a.String()); back != a || err != nil {
			t.Errorf("ParseAlgorithm(%q) = %v, %v", a, back, err)
		}
		if want := e >= NullEncryption || i >= HMACSHA1; a.IsLegacy() != want {
			t.Errorf("%v: legacy %v", a, a.IsLegacy())
		}
		s := pairSpec(a, Sealing)
		if err := s.Check(); err != nil {
			t.Errorf("%v: %v", a, err)
		}
	})
	if AES128GCM.Encryption() != 0 || X25519.Integrity() != 0 || Algorithm(255).IsLegacy() || AES128GCM.AuthKeySize() != 0 || AES128GCM.BlockSize() != 1 {
		t.Error("an algorithm of one part has two")
	}
	for _, a := range []Algorithm{EncryptThenMAC(0, HMACSHA1), EncryptThenMAC(AES128CBC, 0), EncryptThenMAC(numEncryptions, HMACSHA1), EncryptThenMAC(DESCBC, numIntegrities)} {
		if a != 0 {
			t.Errorf("%v of a part that is none", a)
		}
	}
}

func TestPairNames(t *testing.T) {
	for name, a := range map[string]Algorithm{
		"aes-128-cbc-hmac-sha-256-128": EncryptThenMAC(AES128CBC, HMACSHA256),
		"aes-256-ctr-hmac-sha-512-256": EncryptThenMAC(AES256CTR, HMACSHA512),
		"hmac-sha-384-192":             EncryptThenMAC(IntegrityOnly, HMACSHA384),
		"null-hmac-sha-1-96":           EncryptThenMAC(NullEncryption, HMACSHA1),
		"3des-cbc-hmac-md5-96":         EncryptThenMAC(TripleDESCBC, HMACMD5),
	} {
		if a.String() != name {
			t.Errorf("%v, want %s", a, name)
		}
	}
}

func TestPairSpecIsRefusedByField(t *testing.T) {
	cbc, ctr := EncryptThenMAC(AES128CBC, HMACSHA256), EncryptThenMAC(AES128CTR, HMACSHA256)
	for _, c := range []struct {
		name  string
		alg   Algorithm
		spoil func(s *KeySpec)
		field string
	}{
		{"short key", cbc, func(s *KeySpec) { s.Key = s.Key[1:] }, "Key"},
		{"short HMAC key", cbc, func(s *KeySpec) { s.AuthKey = s.AuthKey[1:] }, "AuthKey"},
		{"no HMAC key", cbc, func(s *KeySpec) { s.AuthKey = nil }, "AuthKey"},
		{"no direction", cbc, func(s *KeySpec) { s.Direction = 0 }, "Direction"},
		{"number for IV under CBC", cbc, func(s *KeySpec) { s.Nonce = NonceExplicit }, "Nonce"},
		{"drawn IV under CTR", ctr, func(s *KeySpec) { s.Nonce = NonceDrawn }, "Nonce"},
		{"salt under CBC", cbc, func(s *KeySpec) { s.IV = make([]byte, 4) }, "IV"},
		{"no salt under CTR", ctr, func(s *KeySpec) { s.IV = nil }, "IV"},
		{"short ICV", cbc, func(s *KeySpec) { s.TagSize = 12 }, "TagSize"},
		{"nonce without encryption", EncryptThenMAC(NullEncryption, HMACMD5), func(s *KeySpec) { s.Nonce = NonceDrawn }, "Nonce"},
		{"HMAC key of GCM", AES128GCM, func(s *KeySpec) { s.AuthKey = make([]byte, 32) }, "AuthKey"},
		{"ESN of GCM", AES128GCM, func(s *KeySpec) { s.ESN = true }, "ESN"},
	} {
		s := pairSpec(c.alg, Sealing)
		c.spoil(&s)
		if err := s.Check(); fieldOf(err) != c.field {
			t.Errorf("%s: %v, want field %s", c.name, err, c.field)
		}
	}
}

// pairPacket has 8 bytes of associated data, an IV of 16 and 32 of payload.
func pairPacket(k *Key, d Direction) Packet {
	p := Packet{Buf: make([]byte, 8+16+32+16), Key: k, AADLen: 8, IVOff: 8, Off: 24, Len: 32}
	if d == Opening {
		p.Len += 16
	}
	return p
}

func TestPairsAtTheBorder(t *testing.T) {
	for _, d := range []Direction{Sealing, Opening} {
		cbc, only := mustKey(t, pairSpec(EncryptThenMAC(AES128CBC, HMACSHA256), d)), mustKey(t, pairSpec(EncryptThenMAC(IntegrityOnly, HMACSHA256), d))
		for _, c := range []struct {
			name  string
			spoil func(p *Packet)
			want  Status
		}{
			{"right", func(*Packet) {}, StatusNone},
			{"no blocks", func(p *Packet) { p.Len -= 32 }, StatusNone},
			{"half a block less", func(p *Packet) { p.Len -= 8 }, StatusBlock},
			{"a byte less", func(p *Packet) { p.Len-- }, StatusBlock},
			{"IV in the payload", func(p *Packet) { p.IVOff = 9 }, StatusIV},
			{"IV outside", func(p *Packet) { p.IVOff = 57 }, StatusIV},
			{"Plain over the IV", func(p *Packet) { p.Plain = p.Buf[:24] }, StatusPlain},
			{"Plain over the IV, long enough", func(p *Packet) {
				p.Buf = append(make([]byte, 32), p.Buf...)
				p.Plain, p.Off, p.IVOff, p.AADOff, p.AADLen = p.Buf[16:56], 56, 40, 0, 8
			}, StatusOverlap},
			{"payload where none is allowed", func(p *Packet) { p.Key = only }, StatusTooLong},
			{"none where none is allowed", func(p *Packet) { p.Key = only; p.Len -= 32 }, StatusNone},
		} {
			p := pairPacket(cbc, d)
			c.spoil(&p)
			if got := p.check(d); got != c.want {
				t.Errorf("%s, direction %d: %v, want %v", c.name, d, got, c.want)
			}
		}
	}
}

// TestSealingDrawsIVs seals a burst longer than MaxBurst, in which some packets
// want an IV: those alone get one, each another, and none comes twice.
func TestSealingDrawsIVs(t *testing.T) {
	cbc, gcm := mustKey(t, pairSpec(EncryptThenMAC(AES128CBC, HMACSHA256), Sealing)), mustKey(t, xor(Sealing))
	des := mustKey(t, pairSpec(EncryptThenMAC(DESCBC, HMACSHA1), Sealing))
	ps := make([]Packet, MaxBurst+40)
	for i := range ps {
		ps[i] = pairPacket([]*Key{cbc, gcm, des}[i%3], Sealing)
		if i%5 == 0 {
			ps[i].Len = 31 // refused under CBC
		}
	}
	seen := map[string]bool{}
	for range 2 {
		SealBorder(ps)
		for i := range ps {
			p := &ps[i]
			iv := string(p.IV())
			switch drawn := p.Key != gcm && i%5 != 0; {
			case drawn && (seen[iv] || len(strings.Trim(iv, "\x00")) == 0):
				t.Errorf("packet %d: IV %x", i, iv)
			case !drawn && !bytes.Equal(p.Buf, make([]byte, len(p.Buf))):
				t.Errorf("packet %d was written", i)
			}
			seen[iv] = true
			clear(p.Buf)
		}
	}
}

// TestIVsAreTheSourcesBytes injects the source: the second packet's IV is the
// next bytes of it, and nothing that came out of the first packet.
func TestIVsAreTheSourcesBytes(t *testing.T) {
	cbc := mustKey(t, pairSpec(EncryptThenMAC(AES128CBC, HMACSHA256), Sealing))
	ps := []Packet{pairPacket(cbc, Sealing), pairPacket(cbc, Sealing)}
	source := []byte("the first one's.the second one's")
	placeIVs(ps, source)
	if !bytes.Equal(ps[0].IV(), source[:16]) || !bytes.Equal(ps[1].IV(), source[16:]) {
		t.Errorf("%q and %q", ps[0].IV(), ps[1].IV())
	}
}

func TestDrawingDoesNotAllocate(t *testing.T) {
	cbc := mustKey(t, pairSpec(EncryptThenMAC(AES128CBC, HMACSHA256), Sealing))
	ps := make([]Packet, 32)
	for i := range ps {
		ps[i] = pairPacket(cbc, Sealing)
	}
	if n := testing.AllocsPerRun(20, func() { SealBorder(ps) }); n != 0 && !race.Uncounted {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkBorderDrawing(b *testing.B) {
	s := pairSpec(EncryptThenMAC(AES128CBC, HMACSHA256), Sealing)
	cbc := mustKey(b, s)
	ps := make([]Packet, 32)
	for i := range ps {
		ps[i] = pairPacket(cbc, Sealing)
	}
	for b.Loop() {
		SealBorder(ps)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ps)), "ns/packet")
}

func TestBlockStatusNamesLen(t *testing.T) {
	if err := StatusBlock.Err(); fieldOf(err) != "Len" || errors.Is(err, ErrAuth) {
		t.Error(err)
	}
}
