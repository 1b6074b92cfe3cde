package dtlsadapter

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// TestScopeOfAddresses: link-local peers on two interfaces are two, and each is
// answered where it came from.
func TestScopeOfAddresses(t *testing.T) {
	s, w := &socket{ipv6: true}, newWriter()
	seen := map[netip.AddrPort]bool{}
	for _, scope := range []uint32{0, 3, 4, 1<<32 - 1, 0} {
		name := unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: 7, Addr: netip.MustParseAddr("fe80::1").As16(), Scope_id: scope}
		from := address(&name)
		seen[from] = true
		if s.name(w, from); w.names[0] != name {
			t.Errorf("%v is answered at %+v", from, w.names[0])
		}
	}
	if len(seen) != 4 {
		t.Errorf("%v", seen)
	}
}
