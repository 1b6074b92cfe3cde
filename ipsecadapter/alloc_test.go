package ipsecadapter

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest/race"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// lap seals a burst and opens it again; what it returns restores the burst.
func lap(t testing.TB, a Association, selectors []Selector) (seal, open func()) {
	p := newPair(t, OutboundConfig{Association: a}, InboundConfig{Association: a, Selectors: selectors})
	packet := udpPacket(host4[0], host4[1], pattern(64))
	var packets [][]byte
	for range 32 {
		packets = append(packets, packet)
	}
	burst, by := p.burst(packets...)
	off, found := burst[0].Off, make([]*InboundSA, len(burst))
	sealed := make([]record.Datagram, len(burst))
	seal = func() {
		for i := range burst {
			burst[i].Off, burst[i].Len, burst[i].Drop = off, len(packet), record.DropNone
			copy(burst[i].Content(), packet)
		}
		if n := p.out.Protect(burst, by); n != len(burst) {
			t.Fatalf("sealed %d: %v", n, causes(burst))
		}
		copy(sealed, burst)
	}
	open = func() {
		if n := p.in.Unprotect(burst, found); n != len(burst) || !bytes.Equal(burst[0].Content(), packet) {
			t.Fatalf("opened %d: %v", n, causes(burst))
		}
	}
	return seal, open
}

// TestNoAllocation counts what sealing and opening a burst of 32 allocate beyond the cipher,
// since a library's portable code may.
func TestNoAllocation(t *testing.T) {
	if race.Uncounted {
		t.Skip("the race detector makes pools forget")
	}
	for _, w := range ways() {
		if w.inner != host4 {
			continue
		}
		for _, transform := range []Transform{AES128GCM16, AES256GMAC, ChaCha20Poly1305, AES128CCM8, AES256GCM16IIV, AES128CCM8IIV, aesSHA256, nullSHA1,
			EncryptThenMAC(ciphers.AES256CTR, ciphers.HMACSHA512), EncryptThenMAC(ciphers.TripleDESCBC, ciphers.HMACMD5)} {
			wantNoAllocation(t, w.name, w.association(transform))
		}
	}
	for _, w := range ahWays(64) {
		for _, transform := range AHTransforms() {
			if w.packet[0]>>4 == 4 {
				wantNoAllocation(t, w.name, w.association(transform))
			}
		}
	}
}

func wantNoAllocation(t *testing.T, name string, a Association) {
	t.Helper()
	seal, open := lap(t, a, []Selector{{Source: prefix("10.0.0.0/8"), Protocol: 17, DestinationPorts: PortRange{53, 53}}})
	seal()
	open()
	n := testing.AllocsPerRun(20, func() { seal(); open() })
	if n -= cipherAllocations(t, a.Transform); n >= 1 {
		t.Errorf("%s, %v: %v allocations a burst", name, a.Transform, n)
	}
}

// cipherAllocations is what the engine allocates for the same work.
func cipherAllocations(t *testing.T, transform Transform) float64 {
	a := association4(transform)
	if !transform.Serves(ESP) {
		a.Protocol = AH
	}
	p := pairOf(t, a)
	size := 96
	if transform.traits().algorithm.Encryption() == ciphers.IntegrityOnly {
		size = 0
	}
	burst := func(key *engine.Key, size int) []engine.Packet {
		packets := make([]engine.Packet, 32)
		for i := range packets {
			packets[i] = engine.Packet{Buf: make([]byte, 200), Key: key, Off: 24, IVOff: 8, AADLen: 8, Len: uint32(size)}
		}
		return packets
	}
	seal, open := burst(p.sender.key, size), burst(p.receiver.key, size+transform.ICVSize())
	e := newEngine(t)
	return testing.AllocsPerRun(20, func() {
		e.Seal(seal)
		e.Open(open)
	})
}
