package ipsecadapter

import (
	"fmt"
	"math"
	"net/netip"
	"sync/atomic"

	"github.com/sealburst/sealburst/record/replay"
)

// Protocol is what an SA protects packets with. The zero value is ESP.
type Protocol uint8

// The protocols. They number their SAs apart: one of each may have the same SPI.
const (
	ESP Protocol = iota // RFC 4303
	AH                  // RFC 4302: integrity alone, of the IP header too
)

// String is the protocol's name.
func (p Protocol) String() string {
	switch p {
	case ESP:
		return "ESP"
	case AH:
		return "AH"
	}
	return fmt.Sprintf("protocol(%d)", uint8(p))
}

// Mode is how an SA carries packets. The zero value is invalid.
type Mode uint8

// The modes (RFC 4301 section 4.1).
const (
	Tunnel    Mode = iota + 1 // the whole packet inside a new IP header
	Transport                 // the payload behind the packet's own IP header
)

// Carrier is what ESP packets travel in. AH, which protects the addresses, travels InIP
// alone.
type Carrier uint8

// The carriers.
const (
	InIP     Carrier = iota // IP protocol 50, or 51
	InUDP                   // UDP between IP and ESP (RFC 3948)
	InSocket                // the payload of a UDP socket, which adds its own headers; tunnel mode only
)

// NATTPort is the UDP port of IKE and encapsulated ESP (RFC 3948 section 2.1).
const NATTPort = 4500

// Association is what both directions of an SA are described by.
type Association struct {
	Protocol  Protocol
	SPI       uint32    // at least 256; lower ones are reserved (RFC 4303 section 2.1)
	Transform Transform // one that Serves the Protocol
	Key       []byte    // Transform.KeySize bytes: key and then salt; copied. It serves this SA alone
	Mode      Mode
	Carrier   Carrier

	// Source and Destination are the addresses of the protected packets, of one family. A
	// tunnel's outer header has them; a transport-mode SA and one InSocket need none.
	Source, Destination netip.Addr

	ESN      bool // extended, 64-bit sequence numbers (RFC 4303 section 2.2.1)
	Lifetime Lifetime
	// OnLifetime is told, in a goroutine of its own, once of the soft lifetime and once
	// of the hard one. It may be nil.
	OnLifetime func(Expiry)
}

// OutboundConfig describes an SA to send through.
type OutboundConfig struct {
	Association
	First uint64         // the first sequence number; 0 means 1. A key must never see a number twice.
	Used  *atomic.Uint64 // where Protect counts the numbers that it takes, as record.SenderConfig has it; may be nil

	SourcePort, DestinationPort uint16 // of InUDP; 0 means NATTPort

	HopLimit   uint8  // TTL or hop limit of outer headers; 0 means 64
	FixedDSCP  bool   // outer headers take DSCP instead of the inner packet's
	DSCP       uint8  // at most 63
	WithoutECN bool   // RFC 6040's compatibility mode: outer headers are not ECN-capable
	DF         DFRule // of outer IPv4 headers

	PadTo   int // ESP in tunnel mode: the length that inner packets are padded to (RFC 4303 section 2.7)
	PathMTU int // as SetPathMTU has it; 0 means unknown
}

// InboundConfig describes an SA to receive through.
type InboundConfig struct {
	Association
	// First is the lowest sequence number that is accepted; 0 means 1. An SA that is made
	// anew, as after a restart, goes on behind its InboundSA.Highest of before: replays
	// from there are refused, and extended numbers are recovered from there. It needs the
	// window.
	First     uint64
	Window    int        // numbers that the replay window remembers at least, up to 8192, as replay.SizeFor has it; 0 means 64
	NoReplay  bool       // turns replay protection off; not with ESN
	Highest   *uint64    // where the highest number accepted is stored before Unprotect returns, as record.ReceiverConfig has it; may be nil
	Match     Match      // what beside the SPI finds the SA
	Selectors []Selector // what it may carry; none means anything

	// OriginalSource and OriginalDestination are the peer's view of the packets' addresses
	// where a NAT changes them (NAT-OA, RFC 3947 section 5.2): an SA InUDP in transport mode
	// repairs the checksums of TCP and UDP with them. Both, or neither.
	OriginalSource, OriginalDestination netip.Addr
}

// Match says which addresses of a packet must be the SA's for the packet to be for
// it (RFC 4301 section 4.1). More goes before less.
type Match uint8

// The ways to find an SA.
const (
	BySPI       Match = iota // the SPI alone, as unicast SAs are found
	ByAddress                // SPI and destination
	ByAddresses              // SPI, destination and source
)

// DFRule is what an outer IPv4 header has for its Don't Fragment bit (RFC 4301 section 8.1).
type DFRule uint8

// The rules. Around an inner IPv6 packet, CopyDF sets the bit.
const (
	CopyDF DFRule = iota
	SetDF
	ClearDF
)

const (
	firstSPI   = 256
	maxPathMTU = 1<<16 - 1
	minPathMTU = 68 // RFC 791
)

func (a *Association) check() error {
	size := a.Transform.KeySize()
	switch {
	case a.Protocol > AH:
		return &FieldError{"Protocol", "neither ESP nor AH"}
	case a.SPI < firstSPI:
		return &FieldError{"SPI", fmt.Sprintf("%d is reserved", a.SPI)}
	case !a.Transform.Serves(a.Protocol):
		return &FieldError{"Transform", fmt.Sprintf("%v is none of %v", a.Transform, a.Protocol)}
	case len(a.Key) != size:
		return &FieldError{"Key", fmt.Sprintf("%d bytes, %v takes %d", len(a.Key), a.Transform, size)}
	case a.Mode != Tunnel && a.Mode != Transport:
		return &FieldError{"Mode", "neither Tunnel nor Transport"}
	case a.Carrier > InSocket:
		return &FieldError{"Carrier", "unknown"}
	case a.Protocol == AH && a.Carrier != InIP:
		return &FieldError{"Carrier", "AH travels in IP alone"}
	case a.Mode == Transport && a.Carrier == InSocket:
		return &FieldError{"Carrier", "a socket's datagrams have no IP header to keep in transport mode"}
	}
	return a.checkAddresses()
}

func (a *Association) checkAddresses() error {
	switch {
	case !a.Source.IsValid() && !a.Destination.IsValid():
		return nil
	case a.Source.IsValid() && a.Source.Zone() != "" || a.Source.Is4In6():
		return &FieldError{"Source", "has a zone or is an IPv4 address in IPv6"}
	case a.Destination.IsValid() && a.Destination.Zone() != "" || a.Destination.Is4In6():
		return &FieldError{"Destination", "has a zone or is an IPv4 address in IPv6"}
	case a.Source.IsValid() && a.Destination.IsValid() && a.Source.Is4() != a.Destination.Is4():
		return &FieldError{"Destination", "of another family than Source"}
	}
	return nil
}

func (c *OutboundConfig) check() error {
	if err := c.Association.check(); err != nil {
		return err
	}
	switch {
	case c.First > math.MaxUint32 && !c.ESN:
		return errLongFirst(c.First)
	case c.Mode == Tunnel && c.Carrier != InSocket && !(c.Source.IsValid() && c.Destination.IsValid()):
		return &FieldError{"Source", "a tunnel needs both addresses"}
	case c.DSCP > 63 || c.DSCP != 0 && !c.FixedDSCP:
		return &FieldError{"DSCP", "above 63, or without FixedDSCP"}
	case c.DF > ClearDF:
		return &FieldError{"DF", "unknown rule"}
	case c.PadTo < 0 || c.PadTo > maxPathMTU || c.PadTo != 0 && (c.Mode != Tunnel || c.Protocol == AH):
		return &FieldError{"PadTo", "out of range, or not for ESP in tunnel mode"}
	}
	return checkPathMTU(c.PathMTU)
}

func errLongFirst(first uint64) error {
	return &FieldError{"First", fmt.Sprintf("%d has more than 32 bits, without ESN", first)}
}

func checkPathMTU(n int) error {
	if n != 0 && (n < minPathMTU || n > maxPathMTU) {
		return &FieldError{"PathMTU", fmt.Sprintf("%d is not 68 to 65535", n)}
	}
	return nil
}

func (c *InboundConfig) check() error {
	if err := c.Association.check(); err != nil {
		return err
	}
	switch {
	case c.First > 1 && c.NoReplay:
		return &FieldError{"First", "nothing is refused without a replay window"}
	case c.First > math.MaxUint32 && !c.ESN:
		return errLongFirst(c.First)
	case c.Window < 0 || c.Window > replay.MaxSize:
		return &FieldError{"Window", fmt.Sprintf("%d is not 0 to %d", c.Window, replay.MaxSize)}
	case c.Window != 0 && c.NoReplay:
		return &FieldError{"Window", fmt.Sprintf("%d with NoReplay", c.Window)}
	case c.ESN && c.NoReplay:
		return &FieldError{"NoReplay", "extended numbers are recovered from the window"}
	case c.Match > ByAddresses:
		return &FieldError{"Match", "unknown"}
	case c.Match != BySPI && (c.Carrier == InSocket || !c.Destination.IsValid()):
		return &FieldError{"Destination", "missing, or not to be seen in a socket's datagrams"}
	case c.Match == ByAddresses && !c.Source.IsValid():
		return &FieldError{"Source", "missing"}
	}
	if err := c.checkOriginals(); err != nil {
		return err
	}
	return checkSelectors(c.Selectors)
}

func (c *InboundConfig) checkOriginals() error {
	from, to := c.OriginalSource, c.OriginalDestination
	switch {
	case !from.IsValid() && !to.IsValid():
		return nil
	case c.Mode != Transport || c.Carrier != InUDP:
		return &FieldError{"OriginalSource", "for transport mode InUDP alone"}
	case !from.IsValid() || !to.IsValid() || from.BitLen() != to.BitLen():
		return &FieldError{"OriginalSource", "and OriginalDestination must both be there, of one family"}
	}
	return nil
}
