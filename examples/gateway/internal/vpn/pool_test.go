package vpn

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
)

func nobody(netip.Addr) bool    { return false }
func everybody(netip.Addr) bool { return true }

func TestPoolGivesEachItsOwn(t *testing.T) {
	p := newPool(netip.MustParsePrefix("10.0.0.2/29")) // hosts 1 to 6; 2 is the server
	seen := map[netip.Addr]string{}
	for _, identity := range []string{"a", "b", "c", "d", "e"} {
		addr, err := p.assign(identity, everybody)
		if err != nil {
			t.Fatal(err)
		}
		if before := seen[addr]; before != "" || addr == p.network.Addr() || !p.network.Contains(addr) {
			t.Errorf("%s got %v, which is %q's", identity, addr, before)
		}
		seen[addr] = identity
	}
	for addr, identity := range seen {
		if again, err := p.assign(identity, everybody); again != addr || err != nil {
			t.Errorf("%s got %v again after %v, %v", identity, again, addr, err)
		}
	}
	for _, addr := range []string{"10.0.0.0", "10.0.0.7"} {
		if who := seen[netip.MustParseAddr(addr)]; who != "" {
			t.Errorf("%s was given the address %s", who, addr)
		}
	}
	if addr, err := p.assign("f", everybody); !errors.Is(err, ErrPoolEmpty) {
		t.Errorf("a sixth client got %v, %v", addr, err)
	}
}

func TestPoolTakesFromWhoIsGone(t *testing.T) {
	p := newPool(netip.MustParsePrefix("10.0.0.1/30"))
	first, err := p.assign("a", nobody)
	if err != nil {
		t.Fatal(err)
	}
	if second, err := p.assign("b", nobody); second != first || err != nil {
		t.Errorf("%v, %v; want %v", second, err, first)
	}
	if _, err := p.assign("a", everybody); !errors.Is(err, ErrPoolEmpty) {
		t.Errorf("the one who was gone: %v", err)
	}
}

func TestPoolOfIPv6(t *testing.T) {
	p := newPool(netip.MustParsePrefix("fd00::1/126"))
	for i, want := range []string{"fd00::2", "fd00::3"} {
		if addr, err := p.assign(fmt.Sprint(i), everybody); addr != netip.MustParseAddr(want) || err != nil {
			t.Errorf("%v, %v; want %s", addr, err, want)
		}
	}
}
