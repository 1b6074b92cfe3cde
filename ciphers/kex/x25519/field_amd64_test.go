//go:build amd64 && !purego

package x25519

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

var prime = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))

// number is the value of limbs, whatever their form.
func (l *limbs) number() *big.Int {
	n := new(big.Int)
	for i, v := range l {
		n.Add(n, new(big.Int).Lsh(new(big.Int).SetUint64(v), uint(52*i)))
	}
	return n
}

// edge draws a limb of at most that many bits, mostly near the ends of the range.
func edge(r *rand.Rand, bits int) uint64 {
	top := uint64(1)<<bits - 1
	switch r.IntN(6) {
	case 0:
		return 0
	case 1:
		return top
	case 2:
		return top - r.Uint64N(32)
	case 3:
		return r.Uint64N(32)
	case 4:
		return 1 << r.IntN(bits)
	}
	return r.Uint64() & top
}

// fill draws elements whose limbs 0 to 3 have at most low bits, and limb 4 high.
func fill(r *rand.Rand, e *element, low, high int) {
	for lane := range lanes {
		l := limbs{edge(r, low), edge(r, low), edge(r, low), edge(r, low), edge(r, high)}
		e.set(lane, &l)
	}
}

// isFull checks the form that multiplications promise.
func isFull(t *testing.T, l *limbs) {
	t.Helper()
	for i, v := range l {
		if i < 4 && v > mask52 || i == 4 && v >= 1<<49 {
			t.Fatalf("limb %d is %#x", i, v)
		}
	}
}

// TestProductsAtLimbLimits multiplies and squares full elements, their highest
// limb up to 49 bits, and compares with math/big.
func TestProductsAtLimbLimits(t *testing.T) {
	needIFMA(t)
	r := rand.New(rand.NewPCG(1, 2))
	w := borrow()
	defer w.giveBack()
	x, y, got := &w.x[0], &w.x[1], &w.x[2]
	for range 2000 {
		fill(r, x, 52, 49)
		fill(r, y, 52, 49)
		mul(got, x, y)
		for lane := range lanes {
			expectProduct(t, got.get(lane), x.get(lane).number(), y.get(lane).number())
		}
		square(got, x, 2)
		for lane := range lanes {
			n := x.get(lane).number()
			n.Mul(n, n)
			expectProduct(t, got.get(lane), n, n)
		}
	}
}

func expectProduct(t *testing.T, got *limbs, x, y *big.Int) {
	t.Helper()
	isFull(t, got)
	want := new(big.Int).Mul(x, y)
	if got.number().Cmp(want) != 0 && new(big.Int).Mod(got.number(), prime).Cmp(want.Mod(want, prime)) != 0 {
		t.Fatalf("%x · %x = %x", x, y, got.number())
	}
}

// TestLadderStepAtLimbLimits gives one step raw coordinates, limbs of up to 55
// bits, and compares with the formulas of RFC 7748 section 5.
func TestLadderStepAtLimbLimits(t *testing.T) {
	needIFMA(t)
	r := rand.New(rand.NewPCG(3, 4))
	w := borrow()
	defer w.giveBack()
	for range 1000 {
		fill(r, &w.x1, 52, 47)
		for _, e := range []*element{&w.x2, &w.z2, &w.x3, &w.z3} {
			fill(r, e, 55, 55)
		}
		w.bits = [lanes]uint64{0: 1 << 63, 3: 1 << 63, 7: 1 << 63}
		before := w.state
		ladder(w.raw(), 1)
		for lane := range lanes {
			expectStep(t, &before, w.raw(), lane)
		}
	}
}

func expectStep(t *testing.T, before, after *state, lane int) {
	t.Helper()
	read := func(e *element) *big.Int { return e.get(lane).number() }
	mod := func(n *big.Int) *big.Int { return n.Mod(n, prime) }
	mulp := func(a, b *big.Int) *big.Int { return mod(new(big.Int).Mul(a, b)) }
	sum := func(a, b *big.Int) *big.Int { return mod(new(big.Int).Add(a, b)) }
	diff := func(a, b *big.Int) *big.Int { return mod(new(big.Int).Sub(a, b)) }
	a, b := sum(read(&before.x2), read(&before.z2)), diff(read(&before.x2), read(&before.z2))
	c, d := sum(read(&before.x3), read(&before.z3)), diff(read(&before.x3), read(&before.z3))
	da, cb := mulp(d, a), mulp(c, b)
	if before.bits[lane]>>63 == 1 {
		a, b = c, d
	}
	aa, bb := mulp(a, a), mulp(b, b)
	e := diff(aa, bb)
	s, u := sum(da, cb), diff(da, cb)
	want := []*big.Int{mulp(aa, bb), mulp(e, sum(aa, mulp(big.NewInt(121665), e))), mulp(s, s), mulp(read(&before.x1), mulp(u, u))}
	for i, e := range []*element{&after.x2, &after.z2, &after.x3, &after.z3} {
		l := e.get(lane)
		if mod(l.number()).Cmp(want[i]) != 0 {
			t.Fatalf("lane %d, coordinate %d: wrong", lane, i)
		}
		for k, v := range l {
			if v >= 1<<56 {
				t.Fatalf("lane %d, coordinate %d, limb %d: %#x is not raw", lane, i, k, v)
			}
		}
	}
}

// TestReduceIsCanonical reduces raw limbs around multiples of p.
func TestReduceIsCanonical(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	check := func(l limbs) {
		want := new(big.Int).Mod(l.number(), prime)
		if l.reduce(); l.number().Cmp(want) != 0 {
			t.Fatalf("%x, want %x", l.number(), want)
		}
	}
	for range 20000 {
		check(limbs{edge(r, 56), edge(r, 56), edge(r, 56), edge(r, 56), edge(r, 56)})
	}
	for d := range uint64(40) {
		check(limbs{mask52 - 18 - 20 + d, mask52, mask52, mask52, mask47})
		check(limbs{d, 0, 0, 0, 1 << 47})
		check(limbs{mask52 - d, mask52, mask52, mask52, 1<<48 - 1})
	}
}

// TestDivideSharesOneInversion divides groups of every number, zeros among them.
func TestDivideSharesOneInversion(t *testing.T) {
	needIFMA(t)
	r := rand.New(rand.NewPCG(7, 8))
	for n := 1; n <= maxLanes; n += 7 {
		w := borrow()
		var want [maxLanes]*big.Int
		for g := range groups(n) {
			fill(r, &w.x[g], 55, 55)
			fill(r, &w.z[g], 55, 55)
			for lane := range lanes {
				if r.IntN(4) == 0 {
					w.z[g].set(lane, []*limbs{{}, {mask52 - 18, mask52, mask52, mask52, mask47}}[r.IntN(2)])
				}
				want[g*lanes+lane] = quotient(w.x[g].get(lane).number(), w.z[g].get(lane).number())
			}
		}
		w.divide(n)
		for i := range groups(n) * lanes {
			got := w.x[i/lanes].get(i % lanes)
			if got.reduce(); got.number().Cmp(want[i]) != 0 {
				t.Errorf("%d lanes: lane %d is wrong", n, i)
			}
		}
		w.giveBack()
	}
}

func quotient(x, z *big.Int) *big.Int {
	z.Mod(z, prime)
	if z.Sign() == 0 {
		return z
	}
	x.Mul(x, z.ModInverse(z, prime))
	return x.Mod(x, prime)
}
