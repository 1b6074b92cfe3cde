//go:build amd64 && !purego

package ffdhe

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"testing"
)

func (l *limbs) number() *big.Int {
	n := new(big.Int)
	for i := size - 1; i >= 0; i-- {
		n.Add(n.Lsh(n, 52), new(big.Int).SetUint64(l[i]))
	}
	return n
}

func limbsOf(n *big.Int) (l limbs) {
	for i := range l {
		limb := new(big.Int).Rsh(n, uint(52*i))
		l[i] = limb.And(limb, big.NewInt(mask52)).Uint64()
	}
	return l
}

// edge draws a number below 2p: near multiples of p, limbs all ones or zero, random.
func edge(r *rand.Rand, p *big.Int) limbs {
	n := new(big.Int)
	switch r.IntN(3) {
	case 0:
		n.Mul(p, big.NewInt(r.Int64N(3))).Add(n, big.NewInt(r.Int64N(7)-3))
	case 1:
		var l limbs
		for i := range l {
			l[i] = mask52 * r.Uint64N(2)
		}
		n = l.number()
	default:
		for range size {
			n.Lsh(n, 52).Add(n, new(big.Int).SetUint64(r.Uint64N(1<<52)))
		}
	}
	return limbsOf(n.Mod(n.Abs(n), new(big.Int).Lsh(p, 1)))
}

// TestProductsAtLimbLimits multiplies numbers of up to 2p under both primes and
// compares with math/big.
func TestProductsAtLimbLimits(t *testing.T) {
	needIFMA(t)
	for _, prime := range []string{ffdhe2048, modp14} {
		f := newField(prime)
		p := f.p.number()
		formless := new(big.Int).ModInverse(new(big.Int).Lsh(big.NewInt(1), 52*size), p)
		r := rand.New(rand.NewPCG(1, 2))
		w := borrow()
		w.p1.setAll(&f.p1)
		for range 300 {
			x, y := &w.table[0], &w.table[1]
			for lane := range lanes {
				one, two := edge(r, p), edge(r, p)
				x.set(lane, &one)
				y.set(lane, &two)
			}
			multiply(&w.sum, x, y, &w.m, &w.p1)
			for lane := range lanes {
				expectProduct(t, w.sum.get(lane), x.get(lane), y.get(lane), p, formless)
			}
		}
		w.giveBack()
	}
}

func expectProduct(t *testing.T, got, x, y limbs, p, formless *big.Int) {
	t.Helper()
	n := got.number()
	for _, v := range got {
		if v > mask52 {
			t.Fatalf("a limb is %#x", v)
		}
	}
	if n.Cmp(new(big.Int).Lsh(p, 1)) >= 0 {
		t.Fatal("the product is not below 2p")
	}
	want := new(big.Int).Mul(x.number(), y.number())
	want.Mod(want.Mul(want, formless), p)
	if n.Mod(n, p).Cmp(want) != 0 {
		t.Fatalf("%x times %x is wrong", x.number(), y.number())
	}
}

func TestBytesAndLimbs(t *testing.T) {
	r := rand.NewChaCha8([32]byte{3})
	for range 200 {
		b, got := make([]byte, width), make([]byte, width)
		_, _ = r.Read(b)
		l := unpack(b)
		if l.number().Cmp(new(big.Int).SetBytes(b)) != 0 {
			t.Fatalf("unpacked %x as %x", b, l.number())
		}
		if l.pack(got); !bytes.Equal(b, got) {
			t.Fatalf("packed %x as %x", b, got)
		}
	}
}

func TestReduceIsCanonical(t *testing.T) {
	f := newField(ffdhe2048)
	p := f.p.number()
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		l := edge(r, p)
		want := l.number()
		if l.reduce(&f.p); l.number().Cmp(want.Mod(want, p)) != 0 {
			t.Fatalf("%x, want %x", l.number(), want)
		}
	}
}

// TestChooseReadsEveryDigit compares each lane with the entry of its digit.
func TestChooseReadsEveryDigit(t *testing.T) {
	needIFMA(t)
	w := borrow()
	defer w.giveBack()
	for i := range w.table {
		for lane := range lanes {
			w.table[i].set(lane, &limbs{uint64(i), 1: uint64(lane), size - 1: uint64(16 + i)})
		}
	}
	for first := range uint64(16) {
		var digits [lanes]uint64
		for lane := range lanes {
			digits[lane] = (first + uint64(lane)*3) % 16
		}
		choose(&w.sum, &w.table, &digits)
		for lane := range lanes {
			want := limbs{digits[lane], 1: uint64(lane), size - 1: 16 + digits[lane]}
			if got := w.sum.get(lane); got != want {
				t.Fatalf("lane %d, digit %d: %v", lane, digits[lane], got)
			}
		}
	}
}
