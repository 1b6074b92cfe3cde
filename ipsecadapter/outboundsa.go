package ipsecadapter

import (
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
	front   int // what is added in front of a packet
	sender  *record.Sender
	pathMTU atomic.Int32
}

// NewOutboundSA makes an SA to send through. It fails with an ErrConfig, record.ErrConfig
// for a First that is no sequence number, or the engine's errors. The caller closes
// the SA.
func NewOutboundSA(e *engine.Engine, c OutboundConfig) (*OutboundSA, error) {
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
	sa.sender, err = record.NewSender(record.SenderConfig{Limits: limits, First: max(c.First, 1)})
	if err != nil {
		sa.key.Close()
		return nil, err
	}
	sa.front = sa.lead + sa.outer.size
	if c.Mode == Transport {
		sa.front = sa.lead
		if c.Carrier == InUDP {
			sa.front += udpSize
		}
	}
	sa.pathMTU.Store(int32(c.PathMTU))
	sa.meter.start(&c.Association)
	return sa, nil
}

// Headroom is how many bytes Protect needs in front of a packet.
func (sa *OutboundSA) Headroom() int { return sa.front }

// Tailroom is how many bytes Protect may need behind a packet.
func (sa *OutboundSA) Tailroom() int {
	return sa.config.PadTo + sa.traits.align - 1 + espTrailer + sa.traits.icv
}

// RekeySoon reports whether seven eighths of the sequence numbers are gone.
func (sa *OutboundSA) RekeySoon() bool { return sa.sender.RekeySoon() }

// Used is how many sequence numbers were handed out. A new SA with the same key goes on
// behind them, with a First of at least as many more.
func (sa *OutboundSA) Used() uint64 { return sa.sender.Used() }

// SetPathMTU says how long an ESP packet may be on its path, IP header included (InSocket:
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
// packet says.
func (sa *OutboundSA) InnerMTU(path int) int {
	room := path - sa.front - sa.traits.icv
	return max(room&^(sa.traits.align-1)-espTrailer, 0)
}
