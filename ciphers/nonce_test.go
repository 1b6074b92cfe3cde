package ciphers

import (
	"bytes"
	"testing"
)

// TestNonces writes out every form of nonce: fixed parts are A5, the number is
// 0102030405060708, the high part 11223344, the wire's explicit part F0 to F7.
func TestNonces(t *testing.T) {
	const a = 0xA5
	for _, c := range []struct {
		name   string
		alg    Algorithm
		form   NonceForm
		iv     int
		sealed []byte
		opened []byte
	}{
		{"XOR 12", AES128GCM, NonceXOR, 12,
			[]byte{a ^ 0x11, a ^ 0x22, a ^ 0x33, a ^ 0x44, a ^ 1, a ^ 2, a ^ 3, a ^ 4, a ^ 5, a ^ 6, a ^ 7, a ^ 8},
			[]byte{a ^ 0x11, a ^ 0x22, a ^ 0x33, a ^ 0x44, a ^ 1, a ^ 2, a ^ 3, a ^ 4, a ^ 5, a ^ 6, a ^ 7, a ^ 8}},
		{"XOR 13", AES128CCM, NonceXOR, 13,
			[]byte{a, a ^ 0x11, a ^ 0x22, a ^ 0x33, a ^ 0x44, a ^ 1, a ^ 2, a ^ 3, a ^ 4, a ^ 5, a ^ 6, a ^ 7, a ^ 8},
			[]byte{a, a ^ 0x11, a ^ 0x22, a ^ 0x33, a ^ 0x44, a ^ 1, a ^ 2, a ^ 3, a ^ 4, a ^ 5, a ^ 6, a ^ 7, a ^ 8}},
		{"XOR 11", AES256CCM, NonceXOR, 11,
			[]byte{a ^ 0x22, a ^ 0x33, a ^ 0x44, a ^ 1, a ^ 2, a ^ 3, a ^ 4, a ^ 5, a ^ 6, a ^ 7, a ^ 8},
			[]byte{a ^ 0x22, a ^ 0x33, a ^ 0x44, a ^ 1, a ^ 2, a ^ 3, a ^ 4, a ^ 5, a ^ 6, a ^ 7, a ^ 8}},
		{"explicit 4", AES128GCM, NonceExplicit, 4,
			[]byte{a, a, a, a, 1, 2, 3, 4, 5, 6, 7, 8},
			[]byte{a, a, a, a, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7}},
		{"explicit 3", AES128CCM, NonceExplicit, 3,
			[]byte{a, a, a, 1, 2, 3, 4, 5, 6, 7, 8},
			[]byte{a, a, a, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7}},
	} {
		for d, want := range map[Direction][]byte{Sealing: c.sealed, Opening: c.opened} {
			k := mustKey(t, spec(c.alg, d, c.form, c.iv))
			p := numbered(k)
			border := SealBorder
			if d == Opening {
				border = OpenBorder
			}
			ps := []Packet{p}
			border(ps)
			if got := whole(&ps[0]); !bytes.Equal(got, want) {
				t.Errorf("%s, direction %d: nonce %x, want %x", c.name, d, got, want)
			}
			if k.NonceSize() != len(want) {
				t.Errorf("%s: NonceSize %d, want %d", c.name, k.NonceSize(), len(want))
			}
			checkWire(t, c.name, &ps[0], c.form == NonceExplicit && d == Sealing)
		}
	}
}

func numbered(k *Key) Packet {
	p := sealing(k)
	if k.Direction() == Opening {
		p = opening(k)
	}
	p.Number, p.High = 0x0102030405060708, 0x11223344
	if k.short() {
		p.High &= 1<<24 - 1
	}
	copy(p.Buf[p.IVOff:], []byte{0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7})
	return p
}

// whole is the nonce of all its bytes.
func whole(p *Packet) []byte {
	n := p.Key.NonceSize()
	if n == 13 {
		return append([]byte{p.Key.Lead()}, p.Nonce()[:]...)
	}
	return p.Nonce()[:n]
}

// checkWire wants the number at IVOff where sealing puts it, and nothing
// changed elsewhere.
func checkWire(t *testing.T, name string, p *Packet, written bool) {
	t.Helper()
	want := pattern(len(p.Buf))
	copy(want[p.IVOff:], []byte{0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7})
	if written {
		copy(want[p.IVOff:], []byte{1, 2, 3, 4, 5, 6, 7, 8})
	}
	if !bytes.Equal(p.Buf, want) {
		t.Errorf("%s: Buf is %x, want %x", name, p.Buf, want)
	}
}

// TestNumbersGiveDistinctNonces has numbers that are one in 16, 32 or 48 bits.
func TestNumbersGiveDistinctNonces(t *testing.T) {
	for _, s := range []KeySpec{xor(Sealing), explicit(Sealing), spec(AES128CCM, Sealing, NonceXOR, 11), spec(AES128CCM, Sealing, NonceExplicit, 3)} {
		seen := map[string]uint64{}
		k := mustKey(t, s)
		for _, n := range []uint64{0, 1 << 16, 1 << 32, 1 << 48, 1<<64 - 1} {
			p := sealing(k)
			p.Number = n
			ps := []Packet{p}
			SealBorder(ps)
			nonce := string(whole(&ps[0]))
			if other, ok := seen[nonce]; ok {
				t.Errorf("%v: numbers %#x and %#x share a nonce", s.Algorithm, other, n)
			}
			seen[nonce] = n
		}
	}
}

// TestHighThatDoesNotFit would repeat a nonce in 11 bytes. It is refused both ways, alone and
// among packets that are alike, and what is beside it is not.
func TestHighThatDoesNotFit(t *testing.T) {
	for d, border := range map[Direction]func([]Packet) (*Plan, bool){Sealing: SealBorder, Opening: OpenBorder} {
		k := mustKey(t, spec(AES128CCM, d, NonceXOR, 11))
		for at := range 3 {
			ps := []Packet{numbered(k), numbered(k), numbered(k)}
			ps[at].High |= 1 << 24
			if plan, alike := border(ps); plan != nil || alike {
				t.Errorf("direction %d: packet %d: the burst passes", d, at)
			}
			for i := range ps {
				if refused := ps[i].Status == StatusHigh; refused != (i == at) {
					t.Errorf("direction %d: packet %d: %v", d, i, ps[i].Status)
				}
			}
		}
		ps := []Packet{numbered(k), numbered(k)}
		if plan, _ := border(ps); plan != k.plan || ps[1].Status != StatusNone {
			t.Errorf("direction %d: %v", d, ps[1].Status)
		}
	}
	if err := StatusHigh.Err(); fieldOf(err) != "High" {
		t.Error(err)
	}
}
