package cipherstest

import (
	"crypto/elliptic"
	"math/big"
	"slices"

	"github.com/sealburst/sealburst/ciphers"
)

// montgomery is X25519 or X448 as RFC 7748 section 5 writes it down.
type montgomery struct {
	p, a24 *big.Int
	bits   int
	size   int
	clamp  func(k []byte) // little-endian
}

func montgomeryOf(group ciphers.Algorithm) montgomery {
	one := big.NewInt(1)
	if group == ciphers.X448 {
		p := new(big.Int).Sub(new(big.Int).Lsh(one, 448), new(big.Int).Lsh(one, 224))
		return montgomery{p.Sub(p, one), big.NewInt(39081), 448, 56, func(k []byte) { k[0] &= 252; k[55] |= 128 }}
	}
	p := new(big.Int).Sub(new(big.Int).Lsh(one, 255), big.NewInt(19))
	return montgomery{p, big.NewInt(121665), 255, 32, func(k []byte) { k[0] &= 248; k[31] &= 127; k[31] |= 64 }}
}

func montgomeryOracle(group ciphers.Algorithm) kexOracle {
	m := montgomeryOf(group)
	base := make([]byte, m.size)
	base[0] = 9
	if group == ciphers.X448 {
		base[0] = 5
	}
	return dhOracle{base: base, shared: m.ladder}
}

func (m montgomery) ladder(private, peer []byte) []byte {
	k := slices.Clone(private)
	m.clamp(k)
	scalar := littleEndian(k)
	u := slices.Clone(peer)
	if m.bits == 255 {
		u[31] &= 127
	}
	x1 := m.mod(littleEndian(u))
	x2, z2, x3, z3 := big.NewInt(1), new(big.Int), x1, big.NewInt(1)
	for t := m.bits - 1; t >= 0; t-- {
		if scalar.Bit(t) == 1 {
			x3, z3, x2, z2 = m.step(x1, x3, z3, x2, z2)
		} else {
			x2, z2, x3, z3 = m.step(x1, x2, z2, x3, z3)
		}
	}
	inverse := new(big.Int).Exp(z2, new(big.Int).Sub(m.p, big.NewInt(2)), m.p)
	out := m.mul(x2, inverse).FillBytes(make([]byte, m.size))
	slices.Reverse(out)
	return out
}

// step doubles (x2, z2) and adds it to (x3, z3), whose difference is x1.
func (m montgomery) step(x1, x2, z2, x3, z3 *big.Int) (dx, dz, ax, az *big.Int) {
	a, b := m.add(x2, z2), m.sub(x2, z2)
	aa, bb := m.mul(a, a), m.mul(b, b)
	e := m.sub(aa, bb)
	da, cb := m.mul(m.sub(x3, z3), a), m.mul(m.add(x3, z3), b)
	sum, diff := m.add(da, cb), m.sub(da, cb)
	return m.mul(aa, bb), m.mul(e, m.add(aa, m.mul(m.a24, e))), m.mul(sum, sum), m.mul(x1, m.mul(diff, diff))
}

func (m montgomery) mod(a *big.Int) *big.Int    { return a.Mod(a, m.p) }
func (m montgomery) add(a, b *big.Int) *big.Int { return m.mod(new(big.Int).Add(a, b)) }
func (m montgomery) sub(a, b *big.Int) *big.Int { return m.mod(new(big.Int).Sub(a, b)) }
func (m montgomery) mul(a, b *big.Int) *big.Int { return m.mod(new(big.Int).Mul(a, b)) }

func littleEndian(b []byte) *big.Int {
	r := slices.Clone(b)
	slices.Reverse(r)
	return new(big.Int).SetBytes(r)
}

// weierstrass is a curve y² = x³ - 3x + b by the affine formulas of SP 800-186
// appendix A.1.1; it takes nothing but constants from crypto/elliptic.
type weierstrass struct {
	p    *big.Int
	size int
}

func curveOf(group ciphers.Algorithm) *elliptic.CurveParams {
	switch group {
	case ciphers.P384:
		return elliptic.P384().Params()
	case ciphers.P521:
		return elliptic.P521().Params()
	}
	return elliptic.P256().Params()
}

func weierstrassOracle(group ciphers.Algorithm) kexOracle {
	c := curveOf(group)
	w := weierstrass{c.P, group.SecretSize()}
	return dhOracle{
		share: func(private []byte) []byte {
			return w.encode(w.multiply(new(big.Int).SetBytes(private), point{c.Gx, c.Gy}))
		},
		shared: func(private, peer []byte) []byte {
			q := point{new(big.Int).SetBytes(peer[1:][:w.size]), new(big.Int).SetBytes(peer[1+w.size:])}
			return w.multiply(new(big.Int).SetBytes(private), q).x.FillBytes(make([]byte, w.size))
		},
	}
}

// point is affine; nil coordinates are the point at infinity.
type point struct{ x, y *big.Int }

func (w weierstrass) encode(q point) []byte {
	return slices.Concat([]byte{4}, q.x.FillBytes(make([]byte, w.size)), q.y.FillBytes(make([]byte, w.size)))
}

func (w weierstrass) multiply(k *big.Int, q point) (sum point) {
	for i := k.BitLen() - 1; i >= 0; i-- {
		sum = w.add(sum, sum)
		if k.Bit(i) == 1 {
			sum = w.add(sum, q)
		}
	}
	return sum
}

func (w weierstrass) add(a, b point) point {
	var over, under *big.Int
	switch {
	case a.x == nil:
		return b
	case b.x == nil:
		return a
	case a.x.Cmp(b.x) != 0:
		over, under = new(big.Int).Sub(b.y, a.y), new(big.Int).Sub(b.x, a.x)
	case a.y.Cmp(b.y) != 0 || a.y.Sign() == 0:
		return point{}
	default:
		over = new(big.Int).Mul(a.x, a.x)
		over.Sub(over.Mul(over, big.NewInt(3)), big.NewInt(3))
		under = new(big.Int).Lsh(a.y, 1)
	}
	slope := over.Mul(over, under.ModInverse(under.Mod(under, w.p), w.p))
	x := new(big.Int).Mul(slope, slope)
	x.Mod(x.Sub(x.Sub(x, a.x), b.x), w.p)
	y := new(big.Int).Sub(a.x, x)
	y.Mod(y.Sub(y.Mul(y, slope), a.y), w.p)
	return point{x, y}
}

// fieldOracle is exponentiation by math/big in a group whose prime is computed
// from the formula of its RFC.
func fieldOracle(group ciphers.Algorithm) kexOracle {
	p, size := PrimeOf(group), group.PublicSize()
	return dhOracle{
		base: big.NewInt(2).FillBytes(make([]byte, size)),
		shared: func(private, peer []byte) []byte {
			y := new(big.Int).SetBytes(peer)
			return y.Exp(y, new(big.Int).SetBytes(private), p).FillBytes(make([]byte, size))
		},
	}
}
