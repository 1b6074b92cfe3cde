package cpu

import "github.com/klauspost/cpuid/v2"

// Detect returns the features that the processor has and that the operating
// system lets programs use. A feature whose prerequisites are missing, such
// as VAES where the system keeps no AVX state, is not among them. On
// processors other than amd64, 386 and arm64, and on systems that do not say
// what an arm64 processor has, the set is empty.
//
// Package cpuid reads the processor once, when the program starts; Detect
// only tests its bits and keeps nothing.
func Detect() Set {
	return usable(cpuid.CPU.Has)
}

// usable collects the features that has reports and whose prerequisites hold.
func usable(has func(cpuid.FeatureID) bool) Set {
	var s Set
	for _, f := range features {
		if has(f.id) && s.Has(f.needs) {
			s |= f.bit
		}
	}
	return s
}
