// Package safile reads and writes SA files: the security associations of a gateway that
// runs ESP under keys made by hand, one a line.
//
//	# alice.sa
//	inside address=10.99.0.2/24 mtu=1400
//	out peer=vpn spi=0x2a5e0c11 transform=aes128gcm16 key=4a5f… encap=udp behind=10.99.0.0/24
//	in  peer=vpn spi=0x91c3d702 transform=aes128gcm16 key=9be0… encap=udp behind=10.99.0.0/24
//
// A line begins with out, an SA to send through, or in, one to receive through; fields
// follow in any order. Empty lines, and those that begin with #, mean nothing. The other
// gateway's file has the same SAs with out and in changed over.
//
//	peer=NAME         the other gateway; joins the SAs of both directions (default peer)
//	spi=NUMBER        at least 256, decimal or 0x…
//	transform=NAME    as package ipsecadapter names it
//	key=HEX           the key and behind it, where the transform has one, the salt
//	mode=MODE         tunnel (default) or transport
//	encap=udp         ESP in UDP (RFC 3948); without it ESP is an IP protocol of its own
//	from=ADDR[:PORT]  the address that ESP packets come from
//	to=ADDR[:PORT]    the address that they go to
//	behind=NET,…      the networks behind the other gateway
//	esn=yes           extended sequence numbers
//	first=NUMBER      of out: the first sequence number (default 1)
//	window=NUMBER     of in: how many numbers the replay window remembers (default 64)
//
// The line inside is for a TUN device: its address with the network inside the tunnel,
// and the longest packet in bytes. A line capture says that the keys have protected a
// capture: no gateway may use them, since its packets would have the same nonces.
package safile

import (
	"errors"
	"fmt"
	"math"
	"net/netip"

	"github.com/sealburst/sealburst/ipsecadapter"
)

// ErrSyntax says that an SA file has a line that is none of its format. Errors name the
// line and the field, and never what a key was.
var ErrSyntax = errors.New("SA file")

// File is the content of an SA file.
type File struct {
	Inside netip.Prefix // the zero Prefix where the file has none
	MTU    int          // 0 where the file has none
	// Capture says that the keys have protected a capture, and must protect nothing else.
	Capture bool
	SAs     []SA
}

// SA is one line.
type SA struct {
	Out       bool // an SA to send through
	Peer      string
	SPI       uint32
	Transform ipsecadapter.Transform
	Key       []byte
	Mode      ipsecadapter.Mode
	UDP       bool           // ESP in UDP
	From, To  netip.AddrPort // of ESP packets; the zero value where the file has none, port 0 for the usual one
	Behind    []netip.Prefix
	ESN       bool
	First     uint64 // 0 means 1
	Window    int    // 0 means the adapter's default
}

const defaultPeer = "peer"

// Outbound is the SA as ipsecadapter makes one to send through. InSocket says that its
// packets are the payloads of a UDP socket.
func (s *SA) Outbound(inSocket bool) ipsecadapter.OutboundConfig {
	return ipsecadapter.OutboundConfig{
		Association: s.association(inSocket), First: s.First, SourcePort: s.From.Port(), DestinationPort: s.To.Port(),
	}
}

// Inbound is the SA as ipsecadapter makes one to receive through. In tunnel mode it takes
// inner packets from the networks behind the peer alone.
func (s *SA) Inbound(inSocket bool) ipsecadapter.InboundConfig {
	c := ipsecadapter.InboundConfig{Association: s.association(inSocket), Window: s.Window}
	for _, network := range s.Behind {
		c.Selectors = append(c.Selectors, ipsecadapter.Selector{Source: network})
	}
	return c
}

func (s *SA) association(inSocket bool) ipsecadapter.Association {
	a := ipsecadapter.Association{
		SPI: s.SPI, Transform: s.Transform, Key: s.Key, Mode: s.Mode, Carrier: ipsecadapter.InIP,
		Source: s.From.Addr(), Destination: s.To.Addr(), ESN: s.ESN,
	}
	switch {
	case inSocket:
		a.Carrier, a.Source, a.Destination = ipsecadapter.InSocket, netip.Addr{}, netip.Addr{}
	case s.UDP:
		a.Carrier = ipsecadapter.InUDP
	}
	return a
}

// LastNumber is the last sequence number that the SA can begin with. The very last of
// extended ones is given up: no number says that all before it are used.
func (s *SA) LastNumber() uint64 {
	if s.ESN {
		return math.MaxUint64 - 1
	}
	return math.MaxUint32
}

// SPIs are those of the SAs to receive through, and of those to send through.
func (f *File) SPIs() (in, out []uint32) {
	for i := range f.SAs {
		if s := &f.SAs[i]; s.Out {
			out = append(out, s.SPI)
		} else {
			in = append(in, s.SPI)
		}
	}
	return in, out
}

// CheckKeys refuses SAs under one key, of one direction or of both: each numbers its
// packets from 1, and AES-GCM, ChaCha20 and AES-CTR would have every nonce twice. In a
// capture that others made they may be; a gateway must not seal so.
func (f *File) CheckKeys() error {
	seen := map[string]bool{}
	for i := range f.SAs {
		s := &f.SAs[i]
		if seen[string(s.Key)] {
			return fmt.Errorf("%w: SA %#x: key: %w", ErrSyntax, s.SPI, errSameKey)
		}
		seen[string(s.Key)] = true
	}
	return nil
}

// Swap is the other gateway's view of an SA: it receives through what this one sends through.
func (s SA) Swap() SA {
	s.Out = !s.Out
	return s
}
