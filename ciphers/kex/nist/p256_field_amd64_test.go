//go:build amd64 && !purego

package nist

import (
	"crypto/elliptic"
	"math/big"
	"math/rand/v2"
	"testing"
)

var (
	curve    = elliptic.P256().Params() // constants alone
	form     = new(big.Int).Lsh(big.NewInt(1), 260)
	formless = new(big.Int).ModInverse(form, curve.P)
)

// number is the value of limbs.
func (l *limbs) number() *big.Int {
	n := new(big.Int)
	for i, v := range l {
		n.Add(n, new(big.Int).Lsh(new(big.Int).SetUint64(v), uint(52*i)))
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

// edge draws a number below bound·p, mostly near multiples of p, powers of 2 and
// ends of limbs.
func edge(r *rand.Rand, bound int64) limbs {
	limit := new(big.Int).Mul(curve.P, big.NewInt(bound))
	n := new(big.Int)
	switch r.IntN(5) {
	case 0:
		n.Mul(curve.P, big.NewInt(r.Int64N(bound+1))).Add(n, big.NewInt(r.Int64N(9)-4))
	case 1:
		n.Lsh(big.NewInt(1), uint(r.IntN(260))).Add(n, big.NewInt(r.Int64N(3)-1))
	case 2:
		l := limbs{mask52, mask52, mask52, mask52, mask52}
		for range 1 + r.IntN(3) {
			l[r.IntN(5)] = r.Uint64N(2) * r.Uint64N(1<<52)
		}
		n = l.number()
	default:
		for range 5 {
			n.Lsh(n, 52).Add(n, new(big.Int).SetUint64(r.Uint64N(1<<52)))
		}
	}
	return limbsOf(n.Mod(n.Abs(n), limit))
}

func fill(r *rand.Rand, bound int64, elements ...*element) {
	for _, e := range elements {
		for lane := range lanes {
			l := edge(r, bound)
			e.set(lane, &l)
		}
	}
}

// expect compares masked limbs with a number modulo p, and with their bound.
func expect(t *testing.T, what string, got *limbs, want *big.Int, bound int64) {
	t.Helper()
	n := got.number()
	for _, v := range got {
		if v > mask52 {
			t.Fatalf("%s: limbs %x are not masked", what, *got)
		}
	}
	if n.Cmp(new(big.Int).Mul(curve.P, big.NewInt(bound))) > 0 {
		t.Fatalf("%s: %x is not below %d·p", what, n, bound)
	}
	if n.Mod(n, curve.P).Cmp(want.Mod(want, curve.P)) != 0 {
		t.Fatalf("%s: %x, want %x", what, n, want)
	}
}

// TestProductsAtLimbLimits multiplies and squares operands of up to 8p.
func TestProductsAtLimbLimits(t *testing.T) {
	needIFMA(t)
	r := rand.New(rand.NewPCG(1, 2))
	w := borrow()
	defer w.giveBack()
	x, y, got := &w.x[0], &w.x[1], &w.x[2]
	for range 3000 {
		fill(r, 8, x, y)
		mul(got, x, y)
		for lane := range lanes {
			want := x.get(lane).number()
			want.Mul(want, y.get(lane).number())
			expect(t, "product", got.get(lane), want.Mul(want, formless), 6)
		}
		square(got, x, 1)
		for lane := range lanes {
			want := x.get(lane).number()
			want.Mul(want, want)
			expect(t, "square", got.get(lane), want.Mul(want, formless), 6)
		}
	}
}

// projective is a point of math/big in projective coordinates.
type projective struct{ x, y, z *big.Int }

func read(p *point, lane int) projective {
	return projective{p.x.get(lane).number(), p.y.get(lane).number(), p.z.get(lane).number()}
}

// arithmetic modulo p in Montgomery form: products lose 2^260.
func product(a, b *big.Int) *big.Int {
	n := new(big.Int).Mul(a, b)
	return n.Mod(n.Mul(n, formless), curve.P)
}

func sum(a, b *big.Int) *big.Int  { return new(big.Int).Add(a, b) }
func diff(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) }
func times(k int64, a *big.Int) *big.Int {
	return new(big.Int).Mul(big.NewInt(k), a)
}

// sumOf is the complete addition for a = -3 in closed form (Renes, Costello and
// Batina, 2016, section 3), which holds whatever numbers the coordinates are.
func sumOf(p, q projective) projective {
	b := new(big.Int).Mul(curve.B, form)
	b.Mod(b, curve.P)
	xx, yy, zz := product(p.x, q.x), product(p.y, q.y), product(p.z, q.z)
	xy := sum(product(p.x, q.y), product(q.x, p.y))
	yz := sum(product(p.y, q.z), product(q.y, p.z))
	xz := sum(product(p.x, q.z), product(q.x, p.z))
	u := times(3, diff(xz, product(b, zz)))
	w := times(3, diff(diff(product(b, xz), times(3, zz)), xx))
	v := times(3, diff(xx, zz))
	return projective{
		diff(product(xy, sum(yy, u)), product(yz, w)),
		sum(product(sum(yy, u), diff(yy, u)), product(v, w)),
		sum(product(yz, diff(yy, u)), product(xy, v)),
	}
}

// TestPointFormulasAtLimbLimits gives the kernels coordinates of up to 5p, points
// or not, and compares each lane with the closed forms.
func TestPointFormulasAtLimbLimits(t *testing.T) {
	needIFMA(t)
	r := rand.New(rand.NewPCG(3, 4))
	w := borrow()
	defer w.giveBack()
	for range 500 {
		fill(r, 5, &w.p.x, &w.p.y, &w.p.z, &w.q.x, &w.q.y, &w.q.z)
		before := w.state
		add(w.kernel())
		for lane := range lanes {
			expectPoint(t, "add", &w.p, sumOf(read(&before.p, lane), read(&before.q, lane)), lane)
		}
	}
}

func expectPoint(t *testing.T, what string, got *point, want projective, lane int) {
	t.Helper()
	expect(t, what+" X", got.x.get(lane), want.x, 5)
	expect(t, what+" Y", got.y.get(lane), want.y, 5)
	expect(t, what+" Z", got.z.get(lane), want.z, 5)
}

// TestDoublingIsAddingToItself doubles points of the curve, written with any Z
// and with coordinates of up to 4p, and adds them to themselves.
func TestDoublingIsAddingToItself(t *testing.T) {
	needIFMA(t)
	r := rand.New(rand.NewPCG(5, 6))
	w := borrow()
	defer w.giveBack()
	for range 300 {
		for lane := range lanes {
			setCurvePoint(r, &w.p, lane)
		}
		w.q = w.p
		before := w.p
		double(w.kernel(), 1)
		doubled := w.p
		for lane := range lanes {
			got := read(&doubled, lane)
			same(t, got, sumOf(read(&before, lane), read(&before, lane)))
			expectPoint(t, "double", &doubled, got, lane) // its limbs and bounds
		}
	}
}

// setCurvePoint draws a multiple of the base point.
func setCurvePoint(r *rand.Rand, p *point, lane int) {
	private := new(big.Int).SetUint64(r.Uint64() | 1).FillBytes(make([]byte, 32))
	share := shareOf(private)
	x, y := new(big.Int).SetBytes(share[1:33]), new(big.Int).SetBytes(share[33:])
	z := edge(r, 1)
	if z.number().Sign() == 0 {
		z[0] = 1
	}
	put := func(e *element, n *big.Int) {
		n = product(n.Mul(n, form), z.number())
		l := limbsOf(n.Add(n, times(r.Int64N(4), curve.P)))
		e.set(lane, &l)
	}
	put(&p.x, x)
	put(&p.y, y)
	p.z.set(lane, &z)
}

// same compares projective points.
func same(t *testing.T, a, b projective) {
	t.Helper()
	if product(a.x, b.z).Cmp(product(b.x, a.z)) != 0 || product(a.y, b.z).Cmp(product(b.y, a.z)) != 0 {
		t.Fatal("another point")
	}
}

func TestReduceIsCanonical(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		l := edge(r, 3)
		want := l.number()
		if l.reduce(); l.number().Cmp(want.Mod(want, curve.P)) != 0 {
			t.Fatalf("%x, want %x", l.number(), want)
		}
	}
}

func TestPrivateKeysInRange(t *testing.T) {
	n := curve.N
	for _, c := range []struct {
		k    *big.Int
		want bool
	}{
		{new(big.Int), false}, {big.NewInt(1), true}, {diff(n, big.NewInt(1)), true}, {n, false}, {sum(n, big.NewInt(1)), false},
		{diff(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1)), false}, {new(big.Int).Lsh(big.NewInt(1), 192), true},
	} {
		if got := inRange(words(c.k.FillBytes(make([]byte, 32)))); got != c.want {
			t.Errorf("%x: %v", c.k, got)
		}
	}
}
