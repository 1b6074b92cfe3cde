package cipherstest

import (
	"bytes"
	"math/big"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// badShares lists shares that every implementation of the group refuses.
func badShares(t testing.TB, group ciphers.Algorithm) [][]byte {
	good := func(g ciphers.Algorithm) []byte { return kexCases(t, g, 1)[0].public }
	switch group {
	case ciphers.X25519:
		return lowOrder25519(t)
	case ciphers.X448:
		return lowOrder448()
	case ciphers.P256, ciphers.P384, ciphers.P521:
		return offCurve(group, good(group))
	case ciphers.MLKEM768, ciphers.MLKEM1024:
		return unreduced(good(group))
	case ciphers.X25519MLKEM768:
		return slices.Concat(
			each(unreduced(good(ciphers.MLKEM768)), func(b []byte) []byte { return slices.Concat(b, good(ciphers.X25519)) }),
			each(lowOrder25519(t), func(b []byte) []byte { return slices.Concat(good(ciphers.MLKEM768), b) }))
	case ciphers.SecP256r1MLKEM768:
		return slices.Concat(
			each(offCurve(ciphers.P256, good(ciphers.P256)), func(b []byte) []byte { return slices.Concat(b, good(ciphers.MLKEM768)) }),
			each(unreduced(good(ciphers.MLKEM768)), func(b []byte) []byte { return slices.Concat(good(ciphers.P256), b) }))
	}
	return outOfRange(group)
}

func each(list [][]byte, f func([]byte) []byte) (out [][]byte) {
	for _, b := range list {
		out = append(out, f(b))
	}
	return out
}

// badCiphertexts lists answers that are refused; ML-KEM itself refuses none.
func badCiphertexts(t testing.TB, group ciphers.Algorithm) [][]byte {
	switch group {
	case ciphers.MLKEM768, ciphers.MLKEM1024:
		return nil
	case ciphers.X25519MLKEM768:
		head := make([]byte, ciphers.MLKEM768CiphertextSize)
		return each(lowOrder25519(t), func(b []byte) []byte { return slices.Concat(head, b) })
	case ciphers.SecP256r1MLKEM768:
		tail := make([]byte, ciphers.MLKEM768CiphertextSize)
		good := kexCases(t, ciphers.P256, 1)[0].public
		return each(offCurve(ciphers.P256, good), func(b []byte) []byte { return slices.Concat(b, tail) })
	}
	return badShares(t, group)
}

// lowOrder25519 are the points of order 1, 2, 4 and 8 on the curve and its twist,
// once with the top bit set, which RFC 7748 section 5 ignores.
func lowOrder25519(t testing.TB) [][]byte {
	points := [][]byte{
		unhex(t, "0000000000000000000000000000000000000000000000000000000000000000"),
		unhex(t, "0100000000000000000000000000000000000000000000000000000000000000"),
		unhex(t, "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
		unhex(t, "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
		unhex(t, "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
		unhex(t, "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
		unhex(t, "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
	}
	high := slices.Clone(points[1])
	high[31] |= 0x80
	return append(points, high)
}

func lowOrder448() [][]byte {
	p := montgomeryOf(ciphers.X448).p
	var points [][]byte
	for _, u := range []*big.Int{new(big.Int), big.NewInt(1), new(big.Int).Sub(p, big.NewInt(1)), p, new(big.Int).Add(p, big.NewInt(1))} {
		b := u.FillBytes(make([]byte, 56))
		slices.Reverse(b)
		points = append(points, b)
	}
	return points
}

// offCurve are encodings that are no points: (1, 1), another form's first byte,
// a coordinate that is not reduced, zeros, a point with one bit wrong.
func offCurve(group ciphers.Algorithm, good []byte) [][]byte {
	size := group.SecretSize()
	w := weierstrass{curveOf(group).P, size}
	one := big.NewInt(1)
	compressed, flipped := slices.Clone(good), slices.Clone(good)
	compressed[0] = 2
	flipped[len(flipped)-1] ^= 1
	bad := [][]byte{w.encode(point{one, one}), make([]byte, len(good)), compressed, flipped}
	return append(bad, w.encode(point{w.p, new(big.Int).SetBytes(good[1+size:])}))
}

// outOfRange are 0, 1, p-1, p, p+1 and the highest number of the size.
func outOfRange(group ciphers.Algorithm) (bad [][]byte) {
	p := PrimeOf(group)
	for _, y := range []*big.Int{new(big.Int), big.NewInt(1), new(big.Int).Sub(p, big.NewInt(1)), p, new(big.Int).Add(p, big.NewInt(1))} {
		bad = append(bad, y.FillBytes(make([]byte, group.PublicSize())))
	}
	return append(bad, bytes.Repeat([]byte{0xff}, group.PublicSize()))
}

// unreduced are encapsulation keys with a coefficient of 3329 and above, at the
// start and at the end of the vector.
func unreduced(good []byte) [][]byte {
	first, last := slices.Clone(good), slices.Clone(good)
	first[0], first[1] = 0x01, first[1]&0xf0|0x0d
	last[len(last)-33], last[len(last)-34] = 0xff, last[len(last)-34]|0xf0
	return [][]byte{first, last}
}

// testKexBadShares puts each of them between good ones: it fails alone, its
// outputs are zero, and its neighbours have the oracle's bytes.
func testKexBadShares(t *testing.T, s kexSubject) {
	cases := kexCases(t, s.group, 3)
	for _, op := range s.operations() {
		bad := badShares(t, s.group)
		switch op {
		case ciphers.OpGenerate:
			continue
		case ciphers.OpDecapsulate:
			bad = badCiphertexts(t, s.group)
		}
		n := 2*len(bad) + 1
		st := layOut(op, cases, func(i int) int { return i % len(cases) }, n)
		for i, share := range bad {
			copy(shareOf(op, &st.batch[2*i+1]), share)
		}
		st.expectFailures(t, s, op, ciphers.StatusShare)
	}
}
