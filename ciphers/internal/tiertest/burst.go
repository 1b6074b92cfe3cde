package tiertest

import (
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// Burst is a burst of packets to seal, and the same sealed, to open.
type Burst struct {
	ToSeal, ToOpen   []ciphers.Packet
	impl             ciphers.AEAD
	sealing, opening ciphers.Burst
}

// newBurst makes count packets with 20 bytes of associated data, out of place. next gives
// the plaintext and the keys of packet i.
func newBurst(b *testing.B, impl ciphers.AEAD, count int, next func(i int) ([]byte, *KeyPair)) *Burst {
	const header = 20
	s := &Burst{impl: impl}
	for i := range count {
		plain, k := next(i)
		n := len(plain)
		p := ciphers.Packet{
			Buf: make([]byte, header+n+k.Tag), Plain: plain, Key: k.Seal,
			Number: uint64(i), Len: uint32(n), Off: header, AADLen: header,
		}
		s.ToSeal = append(s.ToSeal, p)
		p.Plain, p.Key, p.Len = make([]byte, n), k.Open, uint32(n+k.Tag)
		s.ToOpen = append(s.ToOpen, p)
	}
	s.sealing = ciphers.Burst{Packets: s.ToSeal, Index: ciphers.Identity(count)}
	s.opening = ciphers.Burst{Packets: s.ToOpen, Index: ciphers.Identity(count)}
	s.Seal()
	s.Open()
	if slices.ContainsFunc(s.ToOpen, func(p ciphers.Packet) bool { return p.Status != ciphers.StatusOK }) {
		b.Fatal("the burst does not open")
	}
	return s
}

// Seal does the border's work and the implementation's.
func (s *Burst) Seal() {
	ciphers.SealBorder(s.ToSeal)
	s.impl.Seal(s.sealing)
}

// Open is what Seal is, for the sealed packets.
func (s *Burst) Open() {
	ciphers.OpenBorder(s.ToOpen)
	s.impl.Open(s.opening)
}
