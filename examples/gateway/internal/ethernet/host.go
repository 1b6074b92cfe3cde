package ethernet

import (
	"encoding/binary"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/sealburst/sealburst/record"
)

// Config is a host's place on its network.
type Config struct {
	MAC       MAC
	Addresses []netip.Prefix // its own, each with its network; without any, every IP packet is the host's, whomever its frame is for
	Gateway   netip.Addr     // where packets for other networks go; the zero Addr for nowhere
	Peer      MAC            // where every packet goes, without asking; zero to ask
}

// Host is the gateway on one network. Any number of goroutines may use it.
type Host struct {
	config     Config
	own        uint64 // Config.MAC
	neighbours neighbours
	peer       *Neighbour  // of Config.Peer
	news       atomic.Bool // a neighbour is wanted that nobody has asked for
}

// NewHost makes a host.
func NewHost(c Config) *Host {
	h := &Host{config: c, own: c.MAC.number()}
	if c.Peer != (MAC{}) {
		h.peer = &Neighbour{}
		h.peer.set(c.Peer)
	}
	return h
}

// MAC is the host's own.
func (h *Host) MAC() MAC { return h.config.MAC }

// HasAddress reports whether the host has an address of its own.
func (h *Host) HasAddress() bool { return len(h.config.Addresses) != 0 }

// Addresses are the host's own, each with its network.
func (h *Host) Addresses() []netip.Prefix { return h.config.Addresses }

// Verdict says what became of a frame.
type Verdict uint8

// The verdicts. Off and Len of a packet are those of the IP packet, those of an answer
// of the whole frame.
const (
	Dropped Verdict = iota // Drop says why
	Local                  // an IP packet to one of the host's addresses
	Transit                // an IP packet to elsewhere
	Answer                 // the frame became an answer, to be sent back
	Taken                  // the frame was for the host, which is done with it
)

// Take tells what a frame is, does what the network asks of a host, and answers in the
// frame's own memory, which has room for MinFrame bytes behind Off. A frame that
// already has a cause is Dropped.
func (h *Host) Take(d *record.Datagram) Verdict {
	if d.Drop != record.DropNone {
		return Dropped
	}
	if d.Len < HeaderSize {
		return drop(d, record.DropTruncated)
	}
	frame := d.Content()
	group := frame[0]&1 != 0 && len(h.config.Addresses) != 0
	if binary.BigEndian.Uint64(frame)>>16 != h.own && !group && len(h.config.Addresses) != 0 {
		return drop(d, record.DropType)
	}
	switch binary.BigEndian.Uint16(frame[12:]) {
	case typeIPv4:
		return h.take4(d, group)
	case typeIPv6:
		return h.take6(d, group)
	case typeARP:
		return h.takeARP(d)
	}
	return drop(d, record.DropType)
}

func drop(d *record.Datagram, cause record.Drop) Verdict {
	d.Drop = cause
	return Dropped
}

func (h *Host) take4(d *record.Datagram, group bool) Verdict {
	packet := d.Content()[HeaderSize:]
	if len(packet) < ipv4Size {
		return drop(d, record.DropTruncated)
	}
	header, total := int(packet[0]&15)*4, int(binary.BigEndian.Uint16(packet[2:]))
	switch {
	case packet[0]>>4 != 4 || header < ipv4Size || total < header:
		return drop(d, record.DropMalformed)
	case total > len(packet):
		return drop(d, record.DropTruncated)
	}
	d.Off, d.Len = d.Off+HeaderSize, total // what follows pads the frame
	switch {
	case h.owns(netip.AddrFrom4([4]byte(packet[16:]))):
	case group: // for all hosts, and who forwards such makes storms
		return drop(d, record.DropType)
	default:
		return Transit
	}
	if packet[9] != protoICMP || len(h.config.Addresses) == 0 {
		return Local
	}
	if binary.BigEndian.Uint16(packet[6:])&0x3fff != 0 {
		return drop(d, record.DropFragment)
	}
	if !echo4(packet[:total], header) {
		return Taken
	}
	return h.answer(d)
}

// answer makes of an IP packet in place the frame that goes back to its sender.
func (h *Host) answer(d *record.Datagram) Verdict {
	d.Off, d.Len = d.Off-HeaderSize, d.Len+HeaderSize
	frame := d.Content()
	copy(frame[:6], frame[6:12])
	copy(frame[6:12], h.config.MAC[:])
	return Answer
}

func (h *Host) take6(d *record.Datagram, group bool) Verdict {
	packet := d.Content()[HeaderSize:]
	if len(packet) < ipv6Size {
		return drop(d, record.DropTruncated)
	}
	total := ipv6Size + int(binary.BigEndian.Uint16(packet[4:]))
	switch {
	case packet[0]>>4 != 6:
		return drop(d, record.DropMalformed)
	case total > len(packet):
		return drop(d, record.DropTruncated)
	}
	d.Off, d.Len = d.Off+HeaderSize, total
	switch {
	case packet[6] == protoICMPv6 && len(h.config.Addresses) != 0 && (group || h.owns(netip.AddrFrom16([16]byte(packet[24:])))):
		return h.takeICMP6(d)
	case h.owns(netip.AddrFrom16([16]byte(packet[24:]))):
		return Local
	case group:
		return drop(d, record.DropType)
	}
	return Transit
}

func (h *Host) takeICMP6(d *record.Datagram) Verdict {
	packet := d.Content()
	if len(packet) < ipv6Size+4 || !rightICMP6(packet) {
		return drop(d, record.DropMalformed)
	}
	icmp := packet[ipv6Size:]
	if icmp[0] == ndSolicitation || icmp[0] == ndAdvertisement {
		return h.takeND(d)
	}
	if !h.owns(netip.AddrFrom16([16]byte(packet[24:]))) || !echo6(packet) {
		return Taken
	}
	return h.answer(d)
}

// takeND learns from solicitations and advertisements and answers the former.
func (h *Host) takeND(d *record.Datagram) Verdict {
	packet := d.Content()
	m, ok := parseND(packet[ipv6Size:], packet[7])
	if !ok {
		return drop(d, record.DropMalformed)
	}
	asker := netip.AddrFrom16([16]byte(packet[8:]))
	from := MAC(d.Buf[d.Off-HeaderSize+6:])
	switch {
	case m.kind == ndAdvertisement:
		if m.known {
			h.hear(m.target, m.mac)
		}
		return Taken
	case !h.owns(m.target) || asker.IsUnspecified(): // the latter asks whether the address is free
		return Taken
	case m.known:
		h.learn(asker, m.mac)
		from = m.mac
	}
	d.Off -= HeaderSize
	if d.Len = ndFrame; len(d.Buf)-d.Off < d.Len {
		return drop(d, record.DropTailroom)
	}
	putND(d.Content(), ndAdvertisement, h.config.MAC, from, m.target, asker, m.target)
	return Answer
}

func (h *Host) takeARP(d *record.Datagram) Verdict {
	a, ok := parseARP(d.Content()[HeaderSize:])
	if !ok {
		return drop(d, record.DropMalformed)
	}
	switch {
	case a.operation == arpReply:
		h.hear(a.sender, a.senderMAC)
		return Taken
	case a.operation != arpRequest || !h.owns(a.target) || len(h.config.Addresses) == 0:
		return Taken
	}
	h.learn(a.sender, a.senderMAC)
	if d.Len = MinFrame; len(d.Buf)-d.Off < d.Len {
		return drop(d, record.DropTailroom)
	}
	putARP(d.Content(), arpReply, h.config.MAC, a.senderMAC, a.target, a.sender)
	return Answer
}

// hear notes where a neighbour lives that was asked for. One that nobody wants is not
// remembered.
func (h *Host) hear(a netip.Addr, m MAC) {
	if n := h.neighbours.find(a); n != nil {
		n.set(m)
	}
}

// learn notes where one lives who asked for the host.
func (h *Host) learn(a netip.Addr, m MAC) {
	if h.onLink(a) {
		if n := h.neighbours.at(a); n != nil {
			n.set(m)
		}
	}
}

// owns reports whether an address is the host's. One without addresses owns all.
func (h *Host) owns(a netip.Addr) bool {
	for i := range h.config.Addresses {
		if h.config.Addresses[i].Addr() == a {
			return true
		}
	}
	return len(h.config.Addresses) == 0
}

// onLink reports whether an address is of one of the host's networks.
func (h *Host) onLink(a netip.Addr) bool {
	for i := range h.config.Addresses {
		if h.config.Addresses[i].Contains(a) {
			return true
		}
	}
	return false
}

// Hop is the neighbour that packets for an address go to, and nil where there is no
// way. Ask finds out where it lives.
func (h *Host) Hop(destination netip.Addr) *Neighbour {
	switch {
	case h.peer != nil:
		return h.peer
	case !h.onLink(destination):
		if destination = h.config.Gateway; !destination.IsValid() {
			return nil
		}
	}
	n := h.neighbours.at(destination)
	if n != nil && !n.wanted.Load() {
		n.wanted.Store(true)
		h.news.Store(true)
	}
	return n
}

// askEvery is how often a neighbour is asked for that is not known yet, and refreshEvery
// one that is.
const (
	askEvery     = time.Second
	refreshEvery = 30 * time.Second
)

// Ask sends requests for neighbours that are wanted and due to be asked for at now, a time
// of any monotonic clock. Each call looks at a part of them, so that none takes long;
// Rounds calls look at all. Those that are newly wanted are asked for at once. b is scratch.
func (h *Host) Ask(round uint, now time.Duration, q Queue, b *Burst) {
	if h.news.Load() && h.news.Swap(false) {
		for part := range Rounds {
			h.askPart(part, now, q, b)
		}
		return
	}
	h.askPart(round%Rounds, now, q, b)
}

func (h *Host) askPart(part uint, now time.Duration, q Queue, b *Burst) {
	m := h.neighbours.shards[part].Load()
	if m == nil {
		return
	}
	for _, n := range *m {
		if n.due(now) && q.Allocate(b, 1) {
			n.asked.Store(int64(now) + 1)
			h.ask(&b.Frames[0], n.address)
			q.Send(b)
		}
	}
}

// Rounds is how many calls of Ask look at every neighbour.
const Rounds = uint(len(neighbours{}.shards))

func (n *Neighbour) due(now time.Duration) bool {
	asked := time.Duration(n.asked.Load())
	_, told := n.MAC()
	switch {
	case !n.wanted.Load():
		return false
	case asked == 0:
		return true
	case told:
		return now-asked >= refreshEvery
	}
	return now-asked >= askEvery
}

// ask writes one request.
func (h *Host) ask(d *record.Datagram, target netip.Addr) {
	own := h.Source(target)
	if target.Is4() {
		d.Len = MinFrame
		putARP(d.Content(), arpRequest, h.config.MAC, Broadcast, own, target)
		return
	}
	group, mac := solicitedNode(target)
	d.Len = ndFrame
	putND(d.Content(), ndSolicitation, h.config.MAC, mac, own, group, target)
}

// Source is the host's own address that packets to another one come from: that on its
// network, or else any of its family. It is the zero Addr where there is none.
func (h *Host) Source(target netip.Addr) (own netip.Addr) {
	for _, p := range h.config.Addresses {
		if p.Addr().Is4() == target.Is4() && (!own.IsValid() || p.Contains(target)) {
			own = p.Addr()
		}
	}
	return own
}
