package dataplane

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// dtlsBench is a gateway of one worker that serves DTLS, between two devices in memory.
type dtlsBench struct {
	*worker
	plain, protected *end
	late             *Late
}

func newDTLSBench(t *testing.T, p *DTLS, plain, protected *ethernet.Host) *dtlsBench {
	t.Helper()
	memory := newMemory(t, 256)
	b := &dtlsBench{plain: memory.end(), protected: memory.end(), late: NewLate()}
	g := New(Config{
		Plain: Side{plain, []ethernet.Queue{b.plain}, 1500}, Protected: Side{protected, []ethernet.Queue{b.protected}, 1500},
		Protocol: p.Worker, Late: b.late,
	})
	b.worker = g.workers[0]
	b.complaints = 64
	return b
}

// sessionGCM is the cipher of session n of newSessions.
func sessionGCM(t testing.TB, n int) cipher.AEAD {
	t.Helper()
	key := make([]byte, 16)
	copy(key, fmt.Sprint(n))
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead
}

func sessionAddr(n int) string { return fmt.Sprintf("10.2.%d.%d", 3+n>>8, (4+n)&255) }

// udpTo wraps a payload for the gateway's port.
func udpTo(payload []byte, port uint16) []byte {
	p := ipv4("192.0.2.2", "192.0.2.1", 64, 28+len(payload))
	binary.BigEndian.PutUint16(p[20:], port)
	binary.BigEndian.PutUint16(p[22:], 4433)
	binary.BigEndian.PutUint16(p[24:], uint16(8+len(payload)))
	p[26], p[27] = 0, 0
	copy(p[28:], payload)
	return framed(protectedMAC, peerMAC, p)
}

// TestTenThousandSessions are sealed for and opened for, and Go's own AES-GCM agrees.
func TestTenThousandSessions(t *testing.T) {
	const n = 10_000
	plain, protected := newHosts()
	p := newSessions(t, protected, n)
	b := newDTLSBench(t, p, plain, protected)
	b.plain.in = append(b.plain.in, arpRequest(hostMAC, "10.1.0.9", "10.1.0.1"))
	b.outward()
	for i := range n {
		b.plain.in = append(b.plain.in, framed(plainMAC, hostMAC, ipv4("10.1.0.9", sessionAddr(i), 64, 40)))
	}
	for b.outward() {
	}
	if len(b.protected.out) != n {
		t.Fatalf("%d datagrams left: %v", len(b.protected.out), b.count.Out.Flow())
	}
	for i, f := range b.protected.out {
		packet := f[14:]
		rec := packet[28:]
		if checksum(packet[:20]) != 0 || binary.BigEndian.Uint16(packet[22:]) != uint16(10000+i) || int(binary.BigEndian.Uint16(packet[24:])) != 8+len(rec) {
			t.Fatalf("session %d: headers %x", i, packet[:28])
		}
		aad := binary.BigEndian.AppendUint16(append(append([]byte(nil), rec[3:11]...), rec[:3]...), 40)
		got, err := sessionGCM(t, i).Open(nil, append(make([]byte, 4), rec[13:21]...), rec[21:], aad)
		if err != nil || !bytes.Equal(got, aged(ipv4("10.1.0.9", sessionAddr(i), 64, 40))) {
			t.Fatalf("session %d: %x, %v", i, got, err)
		}
	}
	for i := range n {
		inner := ipv4(sessionAddr(i), "10.1.0.9", 64, 60)
		b.protected.in = append(b.protected.in, udpTo(sealedRecord(t, i, 7, inner), uint16(10000+i)))
	}
	for b.inward() {
	}
	if flow := b.count.In.Flow(); flow.Packets != n || len(flow.Drops) != 0 {
		t.Errorf("%+v", flow)
	}
}

// sealedRecord is a record of session n's, made with Go's own AES-GCM.
func sealedRecord(t testing.TB, n int, number uint64, inner []byte) []byte {
	header := binary.BigEndian.AppendUint64([]byte{23, 0xfe, 0xfd}, 1<<48|number)
	aad := binary.BigEndian.AppendUint16(append(append([]byte(nil), header[3:]...), header[:3]...), uint16(len(inner)))
	nonce := binary.BigEndian.AppendUint64(make([]byte, 4), number*3)
	rec := binary.BigEndian.AppendUint16(header, uint16(8+len(inner)+16))
	return sessionGCM(t, n).Seal(append(rec, nonce[4:]...), nonce, inner, aad)
}

// TestWhatComesToThePort is opened, given to the listener, or dropped and counted.
func TestWhatComesToThePort(t *testing.T) {
	plain, protected := newHosts()
	p := newSessions(t, protected, 2)
	b := newDTLSBench(t, p, plain, protected)
	inner := ipv4(sessionAddr(0), "10.1.0.9", 64, 60)
	foreign := ipv4(sessionAddr(1), "10.1.0.9", 64, 60)
	good := sealedRecord(t, 0, 1, inner)
	forged := bytes.Clone(good)
	forged[40] ^= 1
	otherPort := udpTo(good, 10000)
	otherPort[14+23]++
	short := udpTo(good, 10000)
	short[14+24] = 0xff
	b.protected.in = [][]byte{
		udpTo(good, 10000), udpTo(good, 10000), // the second one is replayed
		udpTo(forged, 10000),
		udpTo(sealedRecord(t, 0, 2, foreign), 10000),                        // another client's address inside
		udpTo(sealedRecord(t, 0, 3, bytes.Repeat([]byte{0x99}, 60)), 10000), // no IP packet
		otherPort, short,
		udpTo([]byte{22, 0xfe, 0xfd, 0}, 10000), udpTo(good, 5), udpTo(sealedRecord(t, 0, 4, []byte{1}), 10000), // for the listener
	}
	b.inward()
	flow := b.count.In.Flow()
	drops(t, flow.Drops, map[record.Drop]uint64{
		record.DropUnauthentic: 1, record.DropReplayed: 1, record.DropSource: 1, record.DropMalformed: 1, record.DropType: 1,
		record.DropTruncated: 1, record.DropUnknownSession: 1, // nobody knows where the plain host lives
	})
	if n := len(p.Beside.in); n != 3 {
		t.Errorf("%d datagrams for the listener", n)
	}
}

// TestListenerThatIsTooSlow loses handshakes, and stops nobody.
func TestListenerThatIsTooSlow(t *testing.T) {
	plain, protected := newHosts()
	b := newDTLSBench(t, newSessions(t, protected, 1), plain, protected)
	p := b.protocol.(*dtlsWorker)
	hello := udpTo([]byte{22, 0xfe, 0xfd, 0}, 7)
	for range besideQueue + 100 {
		b.protected.in = append(b.protected.in, hello)
	}
	for b.inward() {
	}
	if p.Beside.Shed() != 100 {
		t.Errorf("%d were shed", p.Beside.Shed())
	}
}

func TestTooLongForTheTunnel(t *testing.T) {
	plain, protected := newHosts()
	b := newDTLSBench(t, newSessions(t, protected, 1), plain, protected)
	b.plain.in = [][]byte{framed(plainMAC, hostMAC, ipv4("10.1.0.9", sessionAddr(0), 64, 1401)), framed(plainMAC, hostMAC, ipv4("10.1.0.9", sessionAddr(0), 64, 1400))}
	b.outward()
	if len(b.protected.out) != 1 || len(b.plain.out) != 1 || binary.BigEndian.Uint16(b.plain.out[0][14+26:]) != 1400 {
		t.Errorf("%d left, answers %x", len(b.protected.out), b.plain.out)
	}
}

func TestUDPOverIPv6HasAChecksum(t *testing.T) {
	from, to := netip.MustParseAddrPort("[2001:db8::1]:4433"), netip.MustParseAddrPort("[2001:db8::2]:77")
	header := newOuter(from, to)
	for n := range 70 {
		d := record.Datagram{Buf: make([]byte, 48+n), Off: 48, Len: n}
		for i := range n {
			d.Buf[48+i] = byte(i * 37)
		}
		header.put(&d)
		checkUDP(d.Content())
		p := d.Content()
		covered := append(append(append([]byte(nil), p[8:40]...), 0, 0, 0, byte(8+n), 0, 0, 0, 17), p[40:]...)
		if len(covered)%2 == 1 {
			covered = append(covered, 0)
		}
		if checksum(covered) != 0 || binary.BigEndian.Uint16(p[4:]) != uint16(8+n) {
			t.Errorf("%d bytes: %x", n, p)
		}
	}
}

// clientConn is a client's socket on the far side of the protected device.
type clientConn struct {
	mu   *sync.Mutex // of the bench
	to   *end
	from chan []byte
	done chan struct{}
	once sync.Once
}

func (c *clientConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.to.in = append(c.to.in, udpTo(b, 20000))
	return len(b), nil
}

func (c *clientConn) Read(b []byte) (int, error) {
	select {
	case p := <-c.from:
		return copy(b, p), nil
	case <-c.done:
		return 0, net.ErrClosed
	}
}

func (c *clientConn) Close() error                     { c.once.Do(func() { close(c.done) }); return nil }
func (c *clientConn) LocalAddr() net.Addr              { return &net.UDPAddr{} }
func (c *clientConn) RemoteAddr() net.Addr             { return &net.UDPAddr{} }
func (c *clientConn) SetDeadline(time.Time) error      { return nil }
func (c *clientConn) SetReadDeadline(time.Time) error  { return nil }
func (c *clientConn) SetWriteDeadline(time.Time) error { return nil }

// TestHandshakeBesideTheWorkers ends in a session that the worker carries.
func TestHandshakeBesideTheWorkers(t *testing.T) {
	plain, protected := newHosts()
	e := newEngine(t)
	p := NewDTLS(e, protected, 4433, 1400)
	b := newDTLSBench(t, p, plain, protected)
	config := &dtls.Config{
		PSK: func([]byte) ([]byte, error) { return bytes.Repeat([]byte{7}, 16), nil }, PSKIdentityHint: []byte("alice"),
		CipherSuites: []dtls.CipherSuiteID{dtls.TLS_PSK_WITH_AES_128_GCM_SHA256},
	}
	l, err := dtlsadapter.ListenOn(p.Beside, config, e)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var mu sync.Mutex
	socket := &clientConn{mu: &mu, to: b.protected, from: make(chan []byte, 100), done: make(chan struct{})}
	stop := make(chan struct{})
	var loop sync.WaitGroup
	loop.Go(func() { carry(&mu, b, socket.from, stop) })
	defer loop.Wait()
	defer close(stop)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	client, err := dtlsadapter.Client(ctx, socket, config, e)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := l.AcceptConn()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p.Open(server, netip.MustParseAddr("10.2.9.9"))

	mu.Lock()
	b.plain.in = append(b.plain.in, framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.9.9", 64, 80)))
	mu.Unlock()
	got := make([]byte, 2000)
	n, err := client.Read(got)
	if err != nil || !bytes.Equal(got[:n], aged(ipv4("10.1.0.9", "10.2.9.9", 64, 80))) {
		t.Errorf("%x, %v", got[:n], err)
	}
	p.Close(server)
	if p.inside.find(addressOf(netip.MustParseAddr("10.2.9.9"))) != nil || len(p.live) != 0 {
		t.Error("the session is still there")
	}
}

// carry is the worker, until stop; what it sends to the client goes to it.
func carry(mu *sync.Mutex, b *dtlsBench, client chan<- []byte, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		mu.Lock()
		b.outward()
		b.inward()
		b.pass()
		for _, f := range b.protected.out {
			client <- f[14+28:]
		}
		b.protected.out = nil
		mu.Unlock()
		time.Sleep(100 * time.Microsecond)
	}
}

// TestLatePackets go to the plain side.
func TestLatePackets(t *testing.T) {
	plain, protected := newHosts()
	b := newDTLSBench(t, newSessions(t, protected, 1), plain, protected)
	b.plain.in = append(b.plain.in, arpRequest(hostMAC, "10.1.0.9", "10.1.0.1"))
	b.outward()
	b.plain.out = nil
	good, odd := ipv4("10.2.3.4", "10.1.0.9", 64, 50), ipv4("10.2.3.4", "10.1.0.9", 64, 20)
	odd[0] = 0x4f // says that its header is longer than all of it
	burst := []record.Datagram{{Buf: good, Len: len(good)}, {Buf: odd, Len: len(odd)}, {Drop: record.DropReplayed}}
	if n, err := b.late.Send(burst); n != 2 || err != nil {
		t.Errorf("sent %d, %v", n, err)
	}
	b.pass()
	if len(b.plain.out) != 1 || !bytes.Equal(b.plain.out[0][14:], aged(good)) {
		t.Errorf("%x", b.plain.out)
	}
	if err := b.late.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := b.late.Receive(nil); err != net.ErrClosed {
		t.Error(err)
	}
	if _, err := b.late.Send(burst); err != net.ErrClosed {
		t.Error(err)
	}
}
