package ipsecadapter

import (
	"math"
	"sync/atomic"
	"time"
)

// Lifetime bounds the use of an SA (RFC 4301 section 4.4.2.1). A soft bound asks for a
// new SA; past a hard one nothing is sent or accepted. Zero means no bound. Bytes are
// those of payload, padding and trailer, sealed or found authentic.
type Lifetime struct {
	SoftBytes, HardBytes     uint64
	SoftPackets, HardPackets uint64
	SoftTime, HardTime       time.Duration // since the SA was made
}

func (l *Lifetime) check() error {
	switch {
	case l.HardBytes != 0 && l.SoftBytes > l.HardBytes:
		return &FieldError{"Lifetime.SoftBytes", "above HardBytes"}
	case l.HardPackets != 0 && l.SoftPackets > l.HardPackets:
		return &FieldError{"Lifetime.SoftPackets", "above HardPackets"}
	case l.SoftTime < 0 || l.HardTime < 0 || l.HardTime != 0 && l.SoftTime > l.HardTime:
		return &FieldError{"Lifetime.SoftTime", "negative, or above HardTime"}
	}
	return nil
}

// Expiry says which lifetime of an SA ended.
type Expiry struct {
	SPI   uint32
	Hard  bool
	Cause Cause
}

// Cause is what a lifetime was measured in.
type Cause uint8

// The measures.
const (
	Bytes Cause = iota + 1
	Packets
	Time
)

// meter counts an SA's use against its lifetime. A burst costs it two atomic
// additions; time is the timers' affair.
type meter struct {
	limits  Lifetime // with MaxUint64 where there is no bound
	spi     uint32
	notify  func(Expiry)
	packets atomic.Uint64
	bytes   atomic.Uint64
	told    atomic.Uint32 // softTold, hardTold
	soft    *time.Timer
	hard    *time.Timer
}

const (
	softTold = 1 << iota
	hardTold
)

func (m *meter) start(a *Association) {
	m.spi, m.notify, m.limits = a.SPI, a.OnLifetime, a.Lifetime
	for _, bound := range []*uint64{&m.limits.SoftBytes, &m.limits.HardBytes, &m.limits.SoftPackets, &m.limits.HardPackets} {
		if *bound == 0 {
			*bound = math.MaxUint64
		}
	}
	if a.Lifetime.SoftTime != 0 {
		m.soft = time.AfterFunc(a.Lifetime.SoftTime, func() { m.tell(softTold, Time) })
	}
	if a.Lifetime.HardTime != 0 {
		m.hard = time.AfterFunc(a.Lifetime.HardTime, func() { m.tell(hardTold, Time) })
	}
}

func (m *meter) stop() {
	for _, t := range []*time.Timer{m.soft, m.hard} {
		if t != nil {
			t.Stop()
		}
	}
}

func (m *meter) expired() bool { return m.told.Load()&hardTold != 0 }

// tell reports a bound once.
func (m *meter) tell(which uint32, cause Cause) {
	if m.told.Or(which)&which == 0 && m.notify != nil {
		go m.notify(Expiry{SPI: m.spi, Hard: which == hardTold, Cause: cause})
	}
}

// unbounded reports whether no bound is in packets.
func (m *meter) unbounded() bool {
	return m.limits.SoftPackets == math.MaxUint64 && m.limits.HardPackets == math.MaxUint64
}

// take counts what a burst uses and says what was used before it. Concurrent bursts
// get ranges that do not overlap, so that within bounds what they use.
func (m *meter) take(packets, bytes uint64) (packetsBefore, bytesBefore uint64) {
	p, b := m.packets.Load(), m.bytes.Add(bytes)
	if packets != 0 {
		p = m.packets.Add(packets)
	}
	switch {
	case p >= m.limits.SoftPackets:
		m.tell(softTold, Packets)
	case b >= m.limits.SoftBytes:
		m.tell(softTold, Bytes)
	}
	switch {
	case p >= m.limits.HardPackets:
		m.tell(hardTold, Packets)
	case b >= m.limits.HardBytes:
		m.tell(hardTold, Bytes)
	}
	return p - packets, b - bytes
}

// takeOne takes one packet, and reports whether that is within the hard bounds.
func (m *meter) takeOne(bytes uint64) bool {
	packetsBefore, bytesBefore := m.take(1, bytes)
	return m.within(packetsBefore+1, bytesBefore+bytes)
}

// What is left of a lifetime that is far from its end: more than the bursts of a thousand
// goroutines.
const (
	farPackets = 1 << 16
	farBytes   = 1 << 33
)

// far reports whether the hard bounds are so far away that a burst may be settled once it
// is framed.
func (m *meter) far() bool {
	return m.limits.HardPackets-m.packets.Load() > farPackets && m.limits.HardPackets > m.packets.Load() &&
		m.limits.HardBytes-m.bytes.Load() > farBytes && m.limits.HardBytes > m.bytes.Load()
}

// within reports whether that much in all is inside the hard bounds.
func (m *meter) within(packets, bytes uint64) bool {
	return packets <= m.limits.HardPackets && bytes <= m.limits.HardBytes
}
