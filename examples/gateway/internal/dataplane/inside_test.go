package dataplane

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/record"
)

// The gateway's own addresses inside the tunnel, and those of who asks.
var (
	innerOwn, innerOwn6 = netip.MustParseAddr("10.2.0.1"), netip.MustParseAddr("2001:db8:2::1")
	insideOwn           = []netip.Addr{innerOwn, innerOwn6}
)

// echoOf is a ping, request or reply.
func echoOf(from, to string, reply bool, length int) []byte {
	if netip.MustParseAddr(from).Is4() {
		p := ipv4(from, to, 64, length)
		p[9] = 1
		p[20], p[21], p[22], p[23] = 8, 0, 0, 0
		if reply {
			p[6], p[20] = 0x40, 0
		}
		binary.BigEndian.PutUint16(p[22:], checksum(even(p[20:])))
		p[10], p[11] = 0, 0
		binary.BigEndian.PutUint16(p[10:], checksum(p[:20]))
		return p
	}
	p := ipv6(from, to, 64, length)
	p[6], p[40], p[41], p[42], p[43] = 58, 128, 0, 0, 0
	for i := 44; i < length; i++ {
		p[i] = byte(i)
	}
	if reply {
		p[40] = 129
	}
	pseudo := append(bytes.Clone(p[8:40]), 0, 0, byte((length-40)>>8), byte(length-40), 0, 0, 0, 58)
	binary.BigEndian.PutUint16(p[42:], checksum(even(append(pseudo, p[40:]...))))
	return p
}

// even adds the zero that a checksum of an odd number of bytes reads.
func even(b []byte) []byte { return append(bytes.Clone(b), make([]byte, len(b)%2)...) }

// insideBench is newBench with addresses inside.
func insideBench(t *testing.T) *bench {
	b := newBench(t)
	b.worker.inside = newInside(b.worker.plain.host, insideOwn)
	return b
}

// TestGatewayAnswersPingInsideESP to its addresses inside and on the plain side, also with
// the last hop. Go's own AES-GCM opens the replies.
func TestGatewayAnswersPingInsideESP(t *testing.T) {
	b := insideBench(t)
	b.learn(t)
	pings := [][2]string{
		{"10.2.3.4", "10.2.0.1"}, {"10.2.3.4", "10.1.0.1"}, {"2001:db8:2::9", "2001:db8:2::1"}, {"2001:db8:2::9", "2001:db8:1::1"},
	}
	for i, p := range pings {
		request := echoOf(p[0], p[1], false, 80+i)
		if i == 1 { // the last hop counts nowhere: it has arrived
			request[8], request[10], request[11] = 1, 0, 0
			binary.BigEndian.PutUint16(request[10:], checksum(request[:20]))
		}
		b.protected.in = append(b.protected.in, framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, uint32(i+1), request)))
	}
	through := ipv4("10.2.3.4", "10.1.0.9", 64, 60) // among them one that goes on
	b.protected.in = append(b.protected.in, framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, 99, through)))
	b.inward()
	if len(b.plain.out) != 1 || !bytes.Equal(b.plain.out[0][14:14+60], aged(through)) {
		t.Errorf("to the plain side: %x", b.plain.out)
	}
	if len(b.protected.out) != len(pings) {
		t.Fatalf("%d answers: %v", len(b.protected.out), b.count.In.Flow())
	}
	for i, f := range b.protected.out {
		want := echoOf(pings[i][1], pings[i][0], true, 80+i)
		if got := unseal(t, outKey, f[14:]); !bytes.Equal(got, want) {
			t.Errorf("reply %d: %x\nwant %x", i, got, want)
		}
	}
	if flow := b.count.In.Flow(); flow.Packets != 1 || len(flow.Drops) != 0 {
		t.Errorf("%+v", flow)
	}
}

// TestGatewayAnswersPingInsideDTLS the same way.
func TestGatewayAnswersPingInsideDTLS(t *testing.T) {
	plain, protected := newHosts()
	b := newDTLSBench(t, newSessions(t, protected, 3), plain, protected)
	b.worker.inside = newInside(plain, insideOwn)
	for i := range 3 {
		request := echoOf(sessionAddr(i), "10.2.0.1", false, 64+i)
		b.protected.in = append(b.protected.in, udpTo(sealedRecord(t, i, 1, request), uint16(10000+i)))
	}
	b.inward()
	if len(b.protected.out) != 3 || len(b.plain.out) != 0 {
		t.Fatalf("%d answers: %v", len(b.protected.out), b.count.In.Flow())
	}
	for i, f := range b.protected.out {
		packet, want := f[14:], echoOf("10.2.0.1", sessionAddr(i), true, 64+i)
		rec := packet[28:]
		aad := binary.BigEndian.AppendUint16(append(append([]byte(nil), rec[3:11]...), rec[:3]...), uint16(len(want)))
		got, err := sessionGCM(t, i).Open(nil, append(make([]byte, 4), rec[13:21]...), rec[21:], aad)
		if err != nil || !bytes.Equal(got, want) || binary.BigEndian.Uint16(packet[22:]) != uint16(10000+i) {
			t.Errorf("reply %d: %x, %v\nwant %x", i, got, err, want)
		}
	}
}

// TestWhatElseIsAskedOfTheGatewayInside is dropped and counted.
func TestWhatElseIsAskedOfTheGatewayInside(t *testing.T) {
	b := insideBench(t)
	bad := func(change func(p []byte)) []byte {
		p := echoOf("10.2.3.4", "10.2.0.1", false, 60)
		change(p)
		p[10], p[11] = 0, 0
		binary.BigEndian.PutUint16(p[10:], checksum(p[:20]))
		return p
	}
	bad6 := echoOf("2001:db8:2::9", "2001:db8:2::1", false, 60)
	bad6[50]++
	for i, p := range [][]byte{
		ipv4("10.2.3.4", "10.2.0.1", 64, 60),                 // UDP
		bad(func(p []byte) { p[30]++ }),                      // a wrong checksum
		bad(func(p []byte) { p[20] = 13 }),                   // another message
		bad(func(p []byte) { p[6] = 0x20 }),                  // a fragment
		ipv6("2001:db8:2::9", "2001:db8:2::1", 64, 60), bad6, // as over IPv4
		echoOf("2001:db8:2::9", "2001:db8:2::1", false, 47)[:], // no whole header of ICMP
	} {
		b.protected.in = append(b.protected.in, framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, uint32(i+1), p)))
	}
	b.inward()
	if len(b.protected.out) != 0 || len(b.plain.out) != 0 {
		t.Errorf("answered: %x %x", b.protected.out, b.plain.out)
	}
	drops(t, b.count.In.Flow().Drops, map[record.Drop]uint64{record.DropType: 6, record.DropFragment: 1})
}

// TestNothingInsideWithoutAddresses: a wire has no addresses, and answers nobody.
func TestNothingInsideWithoutAddresses(t *testing.T) {
	if s := newInside(ethernet.NewHost(ethernet.Config{}), nil); s.owns(addressOf(innerOwn)) {
		t.Error("owns an address")
	}
}
