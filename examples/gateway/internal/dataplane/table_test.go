package dataplane

import (
	"math/rand/v2"
	"net/netip"
	"testing"
)

// TestLongestPrefix compares with a search through all.
func TestLongestPrefix(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func() netip.Addr {
		if r.IntN(2) == 0 {
			return netip.AddrFrom4([4]byte{10, byte(r.IntN(4)), byte(r.IntN(4)), byte(r.IntN(256))})
		}
		return netip.AddrFrom16([16]byte{0x20, 1, 7: byte(r.IntN(4)), 15: byte(r.IntN(256))})
	}
	var all []netip.Prefix
	var values []*netip.Prefix
	for range 300 {
		a := random()
		p := netip.PrefixFrom(a, r.IntN(a.BitLen()+1)).Masked()
		all, values = append(all, p), append(values, &p)
	}
	table := newPrefixes(all, values)
	hits := 0
	for range 20000 {
		a := random()
		var want *netip.Prefix
		for i, p := range all {
			if p.Contains(a) && (want == nil || p.Bits() > want.Bits()) {
				want = values[i]
			}
		}
		got := table.find(addressOf(a))
		if got != want && (got == nil || want == nil || *got != *want) {
			t.Fatalf("%v: found %v, want %v", a, got, want)
		}
		if got != nil {
			hits++
		}
		if addressOf(a).addr() != a {
			t.Fatalf("%v comes back as %v", a, addressOf(a).addr())
		}
	}
	if hits == 0 {
		t.Error("nothing was found")
	}
	if new(prefixes[int]).find(address{}) != nil {
		t.Error("found in an empty table")
	}
}
