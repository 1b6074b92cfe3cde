package dataplane

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// DTLS is the sessions of a gateway that serves DTLS over UDP. The workers seal and open
// the packets of sessions that are open. Everything else that comes to the port,
// handshakes above all, goes to a listener beside them, through Beside, and so do the
// short records by which gateways speak to each other.
type DTLS struct {
	Beside *Beside

	port   uint16
	mtu    int            // inside the tunnel
	host   *ethernet.Host // on the protected side
	path   *dtlsadapter.Path
	peers  shards[peer, session]    // by where datagrams come from
	inside shards[address, session] // by the address inside the tunnel

	mu   sync.Mutex
	live map[*dtlsadapter.Conn]*session
}

// peer is where a client is.
type peer struct {
	address
	port uint16
}

// session is one client's tunnel.
type session struct {
	peer
	inside address
	out    *dtlsadapter.Outbound
	in     *dtlsadapter.Inbound
	hop    *ethernet.Neighbour
	header outer
}

// NewDTLS makes a gateway's sessions, none as yet, behind a UDP port of the host, which
// is that of the protected side. The longest packet inside is mtu bytes long.
func NewDTLS(e *engine.Engine, host *ethernet.Host, port uint16, mtu int) *DTLS {
	return &DTLS{
		Beside: newBeside(host, port), port: port, mtu: mtu, host: host, path: dtlsadapter.NewPath(e),
		peers:  shards[peer, session]{hash: func(p peer) uint64 { return p.hash() ^ uint64(p.port) }},
		inside: shards[address, session]{hash: address.hash},
		live:   map[*dtlsadapter.Conn]*session{},
	}
}

// Open takes a session over from its connection, which the listener accepted.
func (p *DTLS) Open(conn *dtlsadapter.Conn, inside netip.Addr) {
	from := conn.RemoteAddr().(*net.UDPAddr).AddrPort()
	hop, own := p.host.Hop(from.Addr().Unmap()), p.host.Source(from.Addr().Unmap())
	if hop == nil || !own.IsValid() {
		return // it is served all the same, by its connection
	}
	s := &session{
		peer: peer{addressOf(from.Addr()), from.Port()}, inside: addressOf(inside), hop: hop,
		header: newOuter(netip.AddrPortFrom(own, p.port), from),
	}
	s.out, s.in = conn.Halves()
	p.mu.Lock()
	p.live[conn] = s
	p.mu.Unlock()
	p.peers.set(s.peer, s)
	p.inside.set(s.inside, s)
}

// Close gives a session up.
func (p *DTLS) Close(conn *dtlsadapter.Conn) {
	p.mu.Lock()
	s := p.live[conn]
	delete(p.live, conn)
	p.mu.Unlock()
	if s != nil {
		p.inside.remove(s.inside, s)
		p.peers.remove(s.peer, s)
	}
}

// Worker is the sessions as one worker has them, who sends through that queue.
func (p *DTLS) Worker(protected ethernet.Queue) Protocol {
	return &dtlsWorker{DTLS: p, checked: protected.ChecksUDP()}
}

type dtlsWorker struct {
	*DTLS
	checked bool    // the device fills in UDP checksums
	last    address // inside that was looked up, and what was found
	found   *session
	lastWay peer // the same for where datagrams come from
	way     *session

	sessions [ethernet.MaxBurst]*session
	out      [ethernet.MaxBurst]*dtlsadapter.Outbound
	in       [ethernet.MaxBurst]*dtlsadapter.Inbound
}

// Route finds the session of each packet.
func (w *dtlsWorker) Route(b *ethernet.Burst, hops *Hops, _ bool) *ethernet.Neighbour {
	w.found = nil // sessions come and go
	for i := range b.Frames[:b.N] {
		d := &b.Frames[i]
		w.out[i] = nil
		if d.Drop != record.DropNone {
			continue
		}
		if to := destination(d.Content()); to != w.last || w.found == nil {
			w.last, w.found = to, w.inside.find(to)
		}
		switch {
		case w.found == nil:
			d.Drop = record.DropUnknownSession
		case d.Len > w.mtu:
			d.Drop = record.DropPathMTU
		default:
			w.sessions[i], w.out[i], hops[i] = w.found, w.found.out, w.found.hop
		}
	}
	return nil
}

// Seal makes records and puts the headers of UDP and IP in front of them.
func (w *dtlsWorker) Seal(b *ethernet.Burst) int {
	sealed := w.path.Protect(b.Frames[:b.N], w.out[:b.N])
	for i := range b.Frames[:b.N] {
		if d := &b.Frames[i]; d.Drop == record.DropNone {
			w.sessions[i].header.put(d)
			if !w.checked {
				checkUDP(d.Content())
			}
		}
	}
	b.CheckUDP = w.checked
	return sealed
}

// InnerMTU is what the gateway's operator says.
func (w *dtlsWorker) InnerMTU(int) int { return w.mtu }

// Open opens the records of sessions that are open. The others go beside.
func (w *dtlsWorker) Open(b, aside *ethernet.Burst) {
	w.way = nil
	for i := range b.Frames[:b.N] {
		d := &b.Frames[i]
		w.in[i] = nil
		if d.Drop == record.DropNone {
			w.assign(b, i, aside)
		}
	}
	w.path.Unprotect(b.Frames[:b.N], w.in[:b.N])
	for i := range b.Frames[:b.N] {
		if d := &b.Frames[i]; d.Drop == record.DropNone {
			d.Drop = w.sessions[i].admit(d)
		}
	}
}

// assign finds the session of a datagram and leaves its record, or gives the datagram
// away.
func (w *dtlsWorker) assign(b *ethernet.Burst, i int, aside *ethernet.Burst) {
	d := &b.Frames[i]
	from, drop := w.strip(d)
	if drop != record.DropNone {
		d.Drop = drop
		return
	}
	if from != w.lastWay || w.way == nil {
		w.lastWay, w.way = from, w.peers.find(from)
	}
	if w.way == nil || !carriesPacket(d.Content()) {
		w.Beside.give(from, d.Content())
		d.Drop = record.DropDummy // it is not sent
		b.Move(i, aside)
		return
	}
	w.sessions[i], w.in[i] = w.way, w.way.in
}

// strip takes the headers of IP and UDP off and says where the datagram comes from.
func (w *dtlsWorker) strip(d *record.Datagram) (from peer, drop record.Drop) {
	packet := d.Content()
	header, protocol := ipv6Size, packet[6]
	if packet[0]>>4 == 4 {
		header, protocol = int(packet[0]&15)*4, packet[9]
		if binary.BigEndian.Uint16(packet[6:])&0x3fff != 0 {
			return from, record.DropFragment
		}
		if !ethernet.RightHeader(packet) {
			return from, record.DropMalformed
		}
		from.address = address{0, mapped | uint64(binary.BigEndian.Uint32(packet[12:]))}
	} else {
		from.address = address{binary.BigEndian.Uint64(packet[8:]), binary.BigEndian.Uint64(packet[16:])}
	}
	if protocol != protoUDP {
		return from, record.DropType
	}
	if len(packet) < header+udpSize {
		return from, record.DropTruncated
	}
	udp := packet[header:]
	size := int(binary.BigEndian.Uint16(udp[4:]))
	from.port = binary.BigEndian.Uint16(udp)
	switch {
	case binary.BigEndian.Uint16(udp[2:]) != w.port:
		return from, record.DropType
	case size < udpSize:
		return from, record.DropMalformed
	case size > len(udp):
		return from, record.DropTruncated
	}
	d.Off, d.Len = d.Off+header+udpSize, size-udpSize
	return from, record.DropNone
}

// carriesPacket reports whether a datagram is one record of application data that is
// long enough for an IP packet.
func carriesPacket(datagram []byte) bool {
	const header, applicationData = 13, 23
	return len(datagram) >= header+ipv4Size+8 && datagram[0] == applicationData &&
		int(binary.BigEndian.Uint16(datagram[11:])) == len(datagram)-header
}

// admit looks at a packet that was opened: it must be an IP packet of the client's own.
func (s *session) admit(d *record.Datagram) record.Drop {
	packet := d.Content()
	var from address
	switch {
	case len(packet) >= ipv4Size && packet[0]>>4 == 4:
		header, total := int(packet[0]&15)*4, int(binary.BigEndian.Uint16(packet[2:]))
		if header < ipv4Size || total < header || total > len(packet) {
			return record.DropMalformed
		}
		d.Len = total
		from = address{0, mapped | uint64(binary.BigEndian.Uint32(packet[12:]))}
	case len(packet) >= ipv6Size && packet[0]>>4 == 6:
		total := ipv6Size + int(binary.BigEndian.Uint16(packet[4:]))
		if total > len(packet) {
			return record.DropMalformed
		}
		d.Len = total
		from = address{binary.BigEndian.Uint64(packet[8:]), binary.BigEndian.Uint64(packet[16:])}
	default:
		return record.DropMalformed
	}
	if from != s.inside {
		return record.DropSource
	}
	return record.DropNone
}

// Tend sends what the listener has to say.
func (w *dtlsWorker) Tend(b *ethernet.Burst, hops *Hops, q ethernet.Queue) {
	w.Beside.fetch(b, hops, q)
}
