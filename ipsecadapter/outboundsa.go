package ipsecadapter

import (
	"math/bits"
	"sync/atomic"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

// OutboundSA is an SA to send through. Any number of goroutines may use it at once.
type OutboundSA struct {
	association
	config  OutboundConfig // without the key
	outer   outer
	front   int    // what is added in front of a packet, at most
	behind  int    // length of the ICV, where it stands behind the payload
	trailer int    // pad length and next header of ESP
	mask    int    // the bits of its length that padding makes zero
	unusual bool   // more depends on the packet than its length
	plain   bool   // an outer IPv4 header, ESP and IV are all that stands in front
	quiet   bool   // its packets are not counted: there are as many as numbers were used
	simple  bool   // and padding is of 3 bytes at most, and descriptors differ in length and number alone
	third   uint64 // of a plain SA: bytes 16 to 23 of what stands in front, reversed
	sender  *record.Sender
	skipped atomic.Uint64 // numbers that no packet got
	pathMTU atomic.Int32
}

// NewOutboundSA makes an SA to send through. It fails with an ErrConfig or the engine's
// errors. The caller closes the SA.
func NewOutboundSA(e *engine.Engine, c OutboundConfig) (*OutboundSA, error) {
	if e == nil {
		return nil, &FieldError{"Engine", "missing"}
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := c.Lifetime.check(); err != nil {
		return nil, err
	}
	sa := &OutboundSA{config: c, outer: newOuter(&c)}
	sa.config.Key = nil
	limits, err := sa.open(e, &c.Association, ciphers.Sealing)
	if err != nil {
		return nil, err
	}
	sa.sender, err = record.NewSender(record.SenderConfig{Limits: limits, First: max(c.First, 1), Used: c.Used})
	if err != nil {
		sa.key.Close()
		return nil, err
	}
	sa.measure()
	sa.pathMTU.Store(int32(c.PathMTU))
	sa.meter.start(&c.Association)
	sa.quiet = sa.meter.unbounded()
	return sa, nil
}

// Stats are the counters since the SA was made. What a lifetime refused is in them.
func (sa *OutboundSA) Stats() SAStats {
	s := sa.association.Stats()
	if sa.quiet {
		skipped := sa.skipped.Load() // before those that it is part of
		s.Packets = sa.sender.Used() - skipped
	}
	return s
}

// settle counts what a burst used, and how many of the numbers that it reserved went to no
// packet. Near the end of the lifetime the former is counted by then.
func (sa *OutboundSA) settle(used usage, left int, far bool) {
	packets := used.packets
	if sa.quiet {
		packets = 0
		if left != 0 {
			sa.skipped.Add(uint64(left))
		}
	}
	if far && used.packets != 0 {
		sa.meter.take(packets, used.bytes)
	}
}

// measure says what framing adds.
func (sa *OutboundSA) measure() {
	if sa.protocol == ESP {
		sa.behind, sa.trailer, sa.mask = sa.traits.icv, espTrailer, sa.traits.align-1
	}
	sa.unusual = sa.mode == Transport || sa.protocol == AH || sa.config.PadTo != 0
	sa.plain = sa.outer.size == ipv4Size && sa.traits.iv != 0
	sa.simple = sa.plain && sa.carrier == InIP && !sa.unusual && !sa.varies && sa.mask == 3
	sa.third = bits.ReverseBytes64(uint64(sa.outer.last)<<32 | uint64(sa.spi))
	sa.front = sa.leadOf(sa.outer.v6) + sa.outer.size
	if sa.mode == Transport {
		sa.front = sa.lead6
		if sa.carrier == InUDP {
			sa.front += udpSize
		}
	}
}

// bodyOf is what n bytes become with padding and trailer.
func (sa *OutboundSA) bodyOf(n int) int { return (n + sa.trailer + sa.mask) &^ sa.mask }

// Headroom is how many bytes Protect needs in front of a packet.
func (sa *OutboundSA) Headroom() int { return sa.front }

// Tailroom is how many bytes Protect may need behind a packet.
func (sa *OutboundSA) Tailroom() int {
	return sa.config.PadTo + sa.mask + sa.trailer + sa.behind
}

// RekeySoon reports whether seven eighths of the sequence numbers are gone.
func (sa *OutboundSA) RekeySoon() bool { return sa.sender.RekeySoon() }

// Used is how many sequence numbers were handed out. A new SA with the same key goes on
// behind them, with a First of at least as many more.
func (sa *OutboundSA) Used() uint64 { return sa.sender.Used() }

// SetPathMTU says how long a protected packet may be on its path, IP header included (InSocket:
// the payload of a datagram), as ICMP told the caller (RFC 4301 section 8.2); 0 means
// unknown. Protect refuses what would be longer with DropPathMTU, for the caller to answer
// with InnerMTU. It returns an ErrConfig for a length that is no MTU.
func (sa *OutboundSA) SetPathMTU(n int) error {
	if err := checkPathMTU(n); err != nil {
		return err
	}
	sa.pathMTU.Store(int32(n))
	return nil
}

// PathMTU is what SetPathMTU set.
func (sa *OutboundSA) PathMTU() int { return int(sa.pathMTU.Load()) }

// InnerMTU is the length of the longest packet that is at most path bytes long once it
// is sealed, and 0 if there is none. It is what an ICMP message about the inner
// packet says. AH in transport mode may be 4 bytes shorter over IPv4 than is reckoned.
func (sa *OutboundSA) InnerMTU(path int) int {
	room := path - sa.front - sa.behind
	return max(room&^sa.mask-sa.trailer, 0)
}
