package offline

import (
	"net/netip"

	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// SAPlan says what FreshSAs makes.
type SAPlan struct {
	Transform ipsecadapter.Transform
	UDP       bool // ESP in UDP
	Transport bool // transport mode; else tunnels between the gateways of a protected capture
}

// FreshSAs makes two SAs for ProtectESP, one for each direction, under fresh keys. The
// file says that they are for a capture alone.
func FreshSAs(p SAPlan) (*safile.File, error) {
	near, far := endpoints[clientSide].Addr(), endpoints[serverSide].Addr()
	files, err := safile.Generate(safile.Plan{
		Names: []string{"near", "far"}, Transform: p.Transform, Network: netip.PrefixFrom(near, 24), Ends: []netip.Addr{near, far},
	})
	if err != nil {
		return nil, err
	}
	file := &safile.File{Capture: true, SAs: files[0].SAs}
	for i := range file.SAs {
		s := &file.SAs[i]
		s.Behind, s.UDP = nil, p.UDP
		if p.Transport {
			s.Mode, s.From, s.To = ipsecadapter.Transport, netip.AddrPort{}, netip.AddrPort{}
		}
	}
	return file, nil
}
