package tiertest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// Scene is a number of packets to seal and to open again, and what they must become.
type Scene struct {
	Packets []ciphers.Packet
	Keys    []*KeyPair
	Plain   [][]byte
}

// Add appends a packet of n random bytes in place, with so much associated data outside the
// buffer.
func (s *Scene) Add(k *KeyPair, n, aad int, r *rand.ChaCha8) *ciphers.Packet {
	return s.AddText(k, Random(r, n), Random(r, aad), r)
}

// AddText is Add of a known plaintext and known associated data.
func (s *Scene) AddText(k *KeyPair, plain, aad []byte, r *rand.ChaCha8) *ciphers.Packet {
	s.Packets = append(s.Packets, ciphers.Packet{
		Buf: append(slices.Clone(plain), make([]byte, k.Tag)...), Key: k.Seal,
		Prefix: aad, Number: r.Uint64(), Len: uint32(len(plain)),
	})
	s.Keys = append(s.Keys, k)
	s.Plain = append(s.Plain, plain)
	return &s.Packets[len(s.Packets)-1]
}

// InBuffer moves the last n bytes of a packet's associated data from outside to behind its
// tag.
func InBuffer(p *ciphers.Packet, n int) {
	at := len(p.Prefix) - n
	p.AADOff, p.AADLen = uint16(len(p.Buf)), uint16(n)
	p.Buf = append(p.Buf, p.Prefix[at:]...)
	p.Prefix = p.Prefix[:at]
}

// OutOfPlace has a packet's plaintext stand apart from its buffer.
func OutOfPlace(p *ciphers.Packet, r *rand.ChaCha8) {
	p.Plain = slices.Clone(p.Buf[:p.Len])
	_, _ = r.Read(p.Buf[:p.Len]) // it cannot fail
}

// Run seals the scene in one burst, compares all bytes with the oracle, and opens it.
func (s *Scene) Run(t testing.TB, impl ciphers.AEAD) {
	t.Helper()
	ciphers.SealBorder(s.Packets)
	want := s.Wire()
	s.seal(t, impl)
	for i := range s.Packets {
		p := &s.Packets[i]
		if !bytes.Equal(p.Buf, want[i]) || p.Status != ciphers.StatusOK {
			t.Fatalf("packet %d of %d, %d bytes, %d of associated data: status %v\n got %x\nwant %x",
				i, len(want), p.Len, len(p.AAD(nil)), p.Status, p.Buf, want[i])
		}
		s.turn(i)
	}
	s.open(t, impl)
}

// Wire is what the buffers must be when sealed; the packets have passed the border.
func (s *Scene) Wire() (want [][]byte) {
	for i := range s.Packets {
		p, k := &s.Packets[i], s.Keys[i]
		full := k.Oracle.Seal(slices.Clone(p.Buf[:p.Off]), p.Nonce()[:], s.Plain[i], p.AAD(nil))
		short := full[:len(full)-k.Oracle.Overhead()+k.Tag]
		want = append(want, append(short, p.Buf[len(short):]...))
	}
	return want
}

func (s *Scene) seal(t testing.TB, impl ciphers.AEAD) {
	t.Helper()
	if n := impl.Seal(s.burst()); n != len(s.Packets) {
		t.Fatalf("sealed %d of %d", n, len(s.Packets))
	}
}

// turn makes a sealed packet one to open.
func (s *Scene) turn(i int) {
	p, k := &s.Packets[i], s.Keys[i]
	p.Key, p.Len = k.Open, p.Len+uint32(k.Tag)
	clear(p.Plain)
}

func (s *Scene) open(t testing.TB, impl ciphers.AEAD) {
	t.Helper()
	ciphers.OpenBorder(s.Packets)
	if n := impl.Open(s.burst()); n != len(s.Packets) {
		t.Fatalf("opened %d of %d", n, len(s.Packets))
	}
	for i := range s.Packets {
		if p := &s.Packets[i]; !bytes.Equal(p.Opened(s.Keys[i].Tag), s.Plain[i]) || p.Status != ciphers.StatusOK {
			t.Fatalf("packet %d of %d, %d bytes: status %v, not the plaintext", i, len(s.Packets), len(s.Plain[i]), p.Status)
		}
	}
}

func (s *Scene) burst() ciphers.Burst {
	return ciphers.Burst{Packets: s.Packets, Index: ciphers.Identity(len(s.Packets))}
}
