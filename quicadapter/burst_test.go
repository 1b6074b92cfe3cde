package quicadapter

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

var (
	suites   = []Suite{AES128GCM, AES256GCM, ChaCha20Poly1305, AES128CCM}
	versions = []Version{Version1, Version2}
)

// eachSuite runs a test for every suite and version.
func eachSuite(t *testing.T, test func(t *testing.T, v Version, s Suite)) {
	for _, v := range versions {
		for _, s := range suites {
			t.Run(fmt.Sprintf("%x/%v", uint32(v), s), func(t *testing.T) { test(t, v, s) })
		}
	}
}

var payloadSizes = []int{0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 255, 600, 1200, 1450, 9000}

// What the adapter seals in bursts, the oracle opens one at a time, and finds header,
// number and payload as they should be.
func TestOracleOpensWhatIsSealed(t *testing.T) {
	eachSuite(t, func(t *testing.T, v Version, s Suite) {
		l := newLink(t, v)
		secret := secretOf(s, 7)
		l.both(OneRTT, s, secret)
		l.both(Handshake, s, secret)
		o := newOracle(t, v, s, secret)
		for _, typ := range []Type{OneRTT, Handshake} {
			burst, want := varied(l.client, typ)
			if n := l.out.Seal(burst); n != len(burst) {
				t.Fatalf("%v: sealed %d of %d", typ, n, len(burst))
			}
			for i := range burst {
				checkSealed(t, o, &burst[i], want[i], uint64(i))
			}
		}
	})
}

// varied is a burst of every payload size, with headers that differ.
func varied(c *Conn, typ Type) (burst []Packet, payloads [][]byte) {
	for i, size := range payloadSizes {
		payload := bytes.Repeat([]byte{byte(i + 1)}, size)
		p := outgoing(c, typ, payload)
		p.Destination = bytes.Repeat([]byte{0xd0}, i%(MaxConnectionID+1))
		if typ == OneRTT {
			p.Spin = i%2 == 1
		} else {
			p.Source = bytes.Repeat([]byte{0x50}, (i*7)%(MaxConnectionID+1))
		}
		p.NumberSize = i % 5
		burst, payloads = append(burst, p), append(payloads, payload)
	}
	return burst, payloads
}

func checkSealed(t *testing.T, o *oracle, p *Packet, payload []byte, number uint64) {
	t.Helper()
	wire := p.Content()
	off := 1 + len(p.Destination)
	if p.Type != OneRTT {
		length := 2
		if len(payload) >= 1<<14 {
			length = 4
		}
		off = 7 + len(p.Destination) + len(p.Source) + length
	}
	header, got, err := o.open(wire, off, number)
	if err != nil {
		t.Fatalf("%v of %d bytes: %v", p.Type, len(payload), err)
	}
	if p.Number != number {
		t.Errorf("number %d, not %d", p.Number, number)
	}
	size := int(header[0]&3) + 1
	if size < max(1, p.NumberSize) {
		t.Errorf("number of %d bytes, wanted %d", size, p.NumberSize)
	}
	if p.Type == OneRTT && header[0]&spinBit != 0 != p.Spin || header[0]&fixedBit == 0 {
		t.Errorf("first byte %02x", header[0])
	}
	padding := max(0, 4-size-len(payload))
	if want := append(bytes.Clone(payload), make([]byte, padding)...); !bytes.Equal(got, want) {
		t.Errorf("payload of %d bytes, padding %d: %x", len(payload), padding, got)
	}
}

// What the oracle seals one at a time, the adapter opens in one burst, in any order and
// with forgeries between.
func TestOpensWhatTheOracleSeals(t *testing.T) {
	eachSuite(t, func(t *testing.T, v Version, s Suite) {
		l := newLinkWith(t, v, 8)
		secret := secretOf(s, 9)
		l.both(OneRTT, s, secret)
		id := []byte("12345678")
		l.add(l.server, fmt.Sprintf("%x", id))
		o := newOracle(t, v, s, secret)
		random := rand.New(rand.NewPCG(uint64(v), uint64(s)))
		var burst []record.Datagram
		var want [][]byte
		for number := range uint64(120) {
			size := 1 + random.IntN(4)
			payload := bytes.Repeat([]byte{byte(number)}, 4+random.IntN(300))
			header := append([]byte{0x40 | byte(size-1)}, id...)
			for i := size - 1; i >= 0; i-- {
				header = append(header, byte(number>>(8*i)))
			}
			burst, want = append(burst, datagram(o.seal(header, payload, number, size))), append(want, payload)
		}
		random.Shuffle(len(burst), func(i, j int) {
			burst[i], burst[j], want[i], want[j] = burst[j], burst[i], want[j], want[i]
		})
		for i := 0; i < len(burst); i += 7 {
			burst[i].Buf[len(burst[i].Buf)-1] ^= 1
			want[i] = nil
		}
		checkOpened(t, l, burst, want)
	})
}

// checkOpened opens a burst whose payloads are known, nil for a forgery.
func checkOpened(t *testing.T, l *link, burst []record.Datagram, want [][]byte) {
	t.Helper()
	packets, n := l.in.Open(burst)
	good := 0
	for i := range packets {
		p := &packets[i]
		switch {
		case want[i] == nil && (p.Drop != record.DropUnauthentic || burst[i].Drop != p.Drop):
			t.Errorf("forgery %d: drop %v", i, p.Drop)
		case want[i] != nil && (p.Drop != record.DropNone || !bytes.Equal(p.Content(), want[i])):
			t.Errorf("packet %d: number %d, drop %v", i, p.Number, p.Drop)
		case want[i] != nil:
			good++
		}
	}
	if n != good || len(packets) != len(want) {
		t.Errorf("%d good of %d packets, counted %d", good, len(packets), n)
	}
	tally := l.in.Drops()
	if forged := uint64(len(want) - good); tally[record.DropUnauthentic] != forged || l.server.Failed() != forged {
		t.Errorf("%d forgeries, counted %d and %d", forged, tally[record.DropUnauthentic], l.server.Failed())
	}
}

// One burst, many connections, versions and suites, more packets than the engine takes
// at once; each opens under its own.
func TestMixedConnectionsInOneBurst(t *testing.T) {
	e := newEngine(t)
	table, _ := NewTable(4)
	out, in := NewOutbound(e), NewInbound(e, table)
	const conns = 24
	senders := make([]*Conn, conns)
	for i := range senders {
		s := suites[i%len(suites)]
		senders[i] = newConn(t, e, versions[i%2], Client)
		receiver := newConn(t, e, versions[i%2], Server)
		secret := secretOf(s, byte(i+1))
		if senders[i].Install(OneRTT, ciphers.Sealing, s, secret) != nil ||
			receiver.Install(OneRTT, ciphers.Opening, s, secret) != nil || table.Add([]byte{1, 2, 3, byte(i)}, receiver) != nil {
			t.Fatal("cannot set up")
		}
	}
	var burst []Packet
	for i := range 600 {
		p := outgoing(senders[i%conns], OneRTT, []byte{1, 2, 3, byte(i), byte(i >> 8)})
		p.Destination = []byte{1, 2, 3, byte(i % conns)}
		burst = append(burst, p)
	}
	if n := out.Seal(burst); n != len(burst) {
		t.Fatalf("sealed %d of %d", n, len(burst))
	}
	var wire []record.Datagram
	for i := range burst {
		wire = append(wire, datagram(burst[i].Content()))
	}
	packets, n := in.Open(wire)
	if n != len(burst) {
		t.Fatalf("opened %d of %d", n, len(burst))
	}
	for i := range packets {
		want := []byte{1, 2, 3, byte(i), byte(i >> 8)}
		if p := &packets[i]; !bytes.Equal(p.Content(), want) || p.Number != uint64(i/conns) || p.From != i {
			t.Fatalf("packet %d: number %d, payload %x", i, p.Number, p.Content())
		}
	}
}

func TestNothingIsAllocatedAPacket(t *testing.T) {
	for _, id := range [][]byte{nil, rowID} {
		testNothingIsAllocated(t, id)
	}
}

func testNothingIsAllocated(t *testing.T, id []byte) {
	l := newRow(t, id)
	const size, n = 100, 32
	burst := make([]Packet, n)
	wire := make([]record.Datagram, n)
	for i := range burst {
		burst[i] = outgoing(l.client, OneRTT, make([]byte, size))
		burst[i].Destination = id
	}
	off, number := burst[0].Off, uint64(0)
	allocs := testing.AllocsPerRun(100, func() {
		for i := range burst {
			burst[i].Off, burst[i].Len = off, size
		}
		if l.out.Seal(burst) != n {
			t.Fatal("not sealed")
		}
		for i := range burst {
			wire[i] = burst[i].Datagram
		}
		if _, ok := l.in.Open(wire); ok != n {
			t.Fatal("not opened")
		}
		number += n
		if err := l.client.Acknowledged(OneRTT, number-1); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a burst", allocs)
	}
}
