package cipherstest

import (
	"math/big"

	"github.com/sealburst/sealburst/ciphers"
)

// PrimeOf computes the prime of a finite-field group as its RFC defines it, from
// the digits of e (RFC 7919 appendix A) or pi (RFC 3526 section 3), or returns
// nil for other groups.
func PrimeOf(group ciphers.Algorithm) *big.Int {
	switch group {
	case ciphers.FFDHE2048:
		return prime(2048, eulersNumber(2048-130), 560316)
	case ciphers.FFDHE3072:
		return prime(3072, eulersNumber(3072-130), 2625351)
	case ciphers.FFDHE4096:
		return prime(4096, eulersNumber(4096-130), 5736041)
	case ciphers.MODP14:
		return prime(2048, pi(2048-130), 124476)
	}
	return nil
}

// prime is 2^bits - 2^(bits-64) + (digits+x)·2^64 - 1.
func prime(bits uint, digits *big.Int, x int64) *big.Int {
	one := big.NewInt(1)
	p := new(big.Int).Lsh(one, bits)
	p.Sub(p, new(big.Int).Lsh(one, bits-64))
	p.Add(p, digits.Lsh(digits.Add(digits, big.NewInt(x)), 64))
	return p.Sub(p, one)
}

// guard are the bits that series lose at their end.
const guard = 64

// eulersNumber is e·2^bits, rounded down, from the series of 1/n!.
func eulersNumber(bits uint) *big.Int {
	term := new(big.Int).Lsh(big.NewInt(1), bits+guard)
	sum := new(big.Int).Set(term)
	for n := int64(1); term.Sign() > 0; n++ {
		term.Div(term, big.NewInt(n))
		sum.Add(sum, term)
	}
	return sum.Rsh(sum, guard)
}

// pi is π·2^bits, rounded down, from Machin's formula: 16·arctan(1/5) - 4·arctan(1/239).
func pi(bits uint) *big.Int {
	sum := arctan(5, bits+guard)
	sum.Lsh(sum, 2).Sub(sum, arctan(239, bits+guard))
	return sum.Rsh(sum, guard-2)
}

// arctan is arctan(1/x)·2^bits.
func arctan(x int64, bits uint) *big.Int {
	power := new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1), bits), big.NewInt(x))
	sum, square := new(big.Int).Set(power), big.NewInt(x*x)
	for n := int64(3); power.Sign() > 0; n += 2 {
		power.Div(power, square)
		term := new(big.Int).Div(power, big.NewInt(n))
		if n%4 == 3 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	return sum
}
