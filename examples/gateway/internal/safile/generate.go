package safile

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/sealburst/sealburst/ipsecadapter"
)

// Plan says what Generate makes.
type Plan struct {
	Names     []string // of gateways; the first one is joined to each of the others
	Transform ipsecadapter.Transform
	Network   netip.Prefix // the first gateway's address inside the tunnel, and the network; the others follow it
	MTU       int
	// Ends are the addresses outside the tunnel, one for each name: ESP then goes straight
	// into IP. Without them it goes into UDP, and gateways find each other by their flags.
	Ends []netip.Addr
}

// Generate makes a file for each name, with fresh keys and SPIs.
func Generate(p Plan) ([]File, error) {
	files := make([]File, len(p.Names))
	inside := make([]netip.Addr, len(p.Names))
	for i, addr := 0, p.Network.Addr(); i < len(files); i, addr = i+1, addr.Next() {
		if !p.Network.Contains(addr) {
			return nil, fmt.Errorf("%v has not as many addresses as there are gateways", p.Network)
		}
		inside[i] = addr
		files[i] = File{Inside: netip.PrefixFrom(addr, p.Network.Bits()), MTU: p.MTU}
	}
	used := map[uint32]bool{}
	for i := 1; i < len(files); i++ {
		host := netip.PrefixFrom(inside[i], inside[i].BitLen())
		if err := p.join(files, i, host, used); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// join makes the SAs between the first gateway and another one.
func (p *Plan) join(files []File, other int, host netip.Prefix, used map[uint32]bool) error {
	there := SA{Out: true, Peer: p.Names[other], Transform: p.Transform, Mode: ipsecadapter.Tunnel, UDP: len(p.Ends) == 0}
	if len(p.Ends) > 0 {
		there.From, there.To = netip.AddrPortFrom(p.Ends[0], 0), netip.AddrPortFrom(p.Ends[other], 0)
	}
	back := there
	back.Out, back.From, back.To = false, there.To, there.From
	for _, s := range []*SA{&there, &back} {
		if err := s.draw(used); err != nil {
			return err
		}
		s.Behind = []netip.Prefix{host}
		files[0].SAs = append(files[0].SAs, *s)
	}
	for _, s := range []SA{back, there} {
		s = s.Swap()
		s.Peer, s.Behind = p.Names[0], []netip.Prefix{p.Network.Masked()}
		files[other].SAs = append(files[other].SAs, s)
	}
	return nil
}

// draw makes the SA's key and SPI.
func (s *SA) draw(used map[uint32]bool) error {
	s.Key = make([]byte, s.Transform.KeySize())
	if _, err := rand.Read(s.Key); err != nil {
		return err
	}
	for s.SPI < firstSPI || used[s.SPI] {
		var b [4]byte
		if _, err := rand.Read(b[:]); err != nil {
			return err
		}
		s.SPI = binary.BigEndian.Uint32(b[:])
	}
	used[s.SPI] = true
	return nil
}

// firstSPI is the lowest one that is not reserved (RFC 4303 section 2.1).
const firstSPI = 256
