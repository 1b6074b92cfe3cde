package dataplane

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/record"
)

func TestPlainPacketsLeaveAsESP(t *testing.T) {
	b := newBench(t)
	packets := [][]byte{
		ipv4("10.1.0.9", "10.2.3.4", 64, 20), ipv4("10.1.0.9", "10.2.3.5", 2, 61),
		ipv6("2001:db8:1::9", "2001:db8:2::5", 64, 40), ipv4("10.1.0.9", "10.2.3.4", 255, 1400),
	}
	for _, p := range packets {
		b.plain.in = append(b.plain.in, framed(plainMAC, hostMAC, p))
	}
	b.outward()
	if len(b.protected.out) != len(packets) {
		t.Fatalf("%d frames left: %v", len(b.protected.out), b.count.Out.Flow())
	}
	for i, f := range b.protected.out {
		if !bytes.Equal(f[:14], framed(peerMAC, protectedMAC, []byte{0x45})[:14]) {
			t.Errorf("packet %d: header %x", i, f[:14])
		}
		outer := f[14:]
		if checksum(outer[:20]) != 0 || outer[9] != 50 || int(binary.BigEndian.Uint16(outer[2:])) != len(outer) {
			t.Errorf("packet %d: outer header %x", i, outer[:20])
		}
		if n := binary.BigEndian.Uint32(outer[24:]); n != uint32(i+1) {
			t.Errorf("packet %d: number %d", i, n)
		}
		if got := unseal(t, outKey, outer); !bytes.Equal(got, aged(packets[i])) {
			t.Errorf("packet %d: %x, want %x", i, got, aged(packets[i]))
		}
	}
	if flow := b.count.Out.Flow(); flow.Packets != 4 || flow.Bytes != 20+61+40+1400 || len(flow.Drops) != 0 {
		t.Errorf("%+v", flow)
	}
}

func TestESPArrivesAsPlainPackets(t *testing.T) {
	b := newBench(t)
	b.learn(t)
	packets := [][]byte{ipv4("10.2.3.4", "10.1.0.9", 64, 20), ipv4("10.2.3.4", "10.1.0.9", 64, 1399)}
	for i, p := range packets {
		b.protected.in = append(b.protected.in, framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, uint32(i+1), p)))
	}
	b.protected.in = append(b.protected.in, b.protected.in[0]) // once more
	forged := bytes.Clone(b.protected.in[1])
	forged[60] ^= 1
	foreign := framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, 9, ipv4("10.9.9.9", "10.1.0.9", 64, 20)))
	stray := framed(protectedMAC, peerMAC, seal(t, inKey, 0x7777, 9, packets[0]))
	old := framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, 10, ipv4("10.2.3.4", "10.1.0.9", 1, 20)))
	b.protected.in = append(b.protected.in, forged, foreign, stray, old)
	b.inward()
	if len(b.plain.out) != 2 {
		t.Fatalf("%d frames left: %v", len(b.plain.out), b.count.In.Flow())
	}
	for i, f := range b.plain.out {
		if want := framed(hostMAC, plainMAC, aged(packets[i]))[:14+len(packets[i])]; !bytes.Equal(f, want) {
			t.Errorf("packet %d: %x, want %x", i, f, want)
		}
	}
	flow := b.count.In.Flow()
	drops(t, flow.Drops, map[record.Drop]uint64{
		record.DropReplayed: 1, record.DropUnauthentic: 1, record.DropSelector: 1, record.DropUnknownSession: 1, record.DropExpired: 1,
	})
}

// TestWhatIsNotCarried is counted, and the gateway goes on.
func TestWhatIsNotCarried(t *testing.T) {
	b := newBench(t)
	good := ipv4("10.1.0.9", "10.2.3.4", 64, 100)
	broken, short := bytes.Clone(good), framed(plainMAC, hostMAC, good)
	broken[11] ^= 1
	fragmentFor := bytes.Clone(good)
	fragmentFor[7] = 1 // carried as it is: nobody looks inside
	binary.BigEndian.PutUint16(fragmentFor[10:], 0)
	binary.BigEndian.PutUint16(fragmentFor[10:], checksum(fragmentFor[:20]))
	vlan := append(append(append([]byte(nil), short[:12]...), 0x81, 0, 0, 5), short[12:]...)
	b.plain.in = [][]byte{
		short[:13], {}, short[:20], vlan,
		framed(plainMAC, hostMAC, broken),
		framed(ethernet.MAC{2, 9, 9, 9, 9, 9}, hostMAC, good),            // somebody else's
		framed(ethernet.Broadcast, hostMAC, good),                        // everybody's
		append(append([]byte(nil), short[:12]...), make([]byte, 50)...),  // of another type
		framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.9.9.9", 64, 100)), // no SA
		framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.1.0.1", 64, 100)), // for the gateway itself, and no ping
		framed(plainMAC, hostMAC, fragmentFor),
		framed(plainMAC, hostMAC, good),
	}
	b.outward()
	if len(b.protected.out) != 2 {
		t.Errorf("%d frames left", len(b.protected.out))
	}
	flow := b.count.Out.Flow()
	drops(t, flow.Drops, map[record.Drop]uint64{
		record.DropTruncated: 3, record.DropType: 5, record.DropMalformed: 1, record.DropUnknownSession: 1,
	})
}

func TestPacketsTooLongForThePathAreAnswered(t *testing.T) {
	b := newBench(t)
	long := ipv4("10.1.0.9", "10.2.3.4", 64, 1480)
	free := bytes.Clone(long)
	free[6] = 0 // may be fragmented, which nobody here does
	free[10], free[11] = 0, 0
	binary.BigEndian.PutUint16(free[10:], checksum(free[:20]))
	b.plain.in = [][]byte{
		framed(plainMAC, hostMAC, long), framed(plainMAC, hostMAC, free),
		framed(plainMAC, hostMAC, ipv6("2001:db8:1::9", "2001:db8:2::5", 64, 1500)),
		framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 1, 100)),
		framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 1446)),
	}
	b.outward()
	if len(b.protected.out) != 1 || len(b.protected.out[0]) != 14+1500 {
		t.Fatalf("%d frames left", len(b.protected.out))
	}
	if len(b.plain.out) != 3 {
		t.Fatalf("%d answers", len(b.plain.out))
	}
	for _, f := range b.plain.out {
		if !bytes.Equal(f[:12], append(hostMAC[:6:6], plainMAC[:]...)) {
			t.Errorf("not to the sender: %x", f[:14])
		}
	}
	expired, tooBig4, tooBig6 := b.plain.out[0][14:], b.plain.out[1][14:], b.plain.out[2][14:]
	if expired[20] != 11 || checksum(expired[:20]) != 0 || checksum(expired[20:]) != 0 || !bytes.Equal(expired[28:], ipv4("10.1.0.9", "10.2.3.4", 1, 100)) {
		t.Errorf("time exceeded: %x", expired)
	}
	if tooBig4[20] != 3 || tooBig4[21] != 4 || binary.BigEndian.Uint16(tooBig4[26:]) != 1446 || checksum(tooBig4[20:]) != 0 {
		t.Errorf("fragmentation needed: %x", tooBig4[:48])
	}
	if tooBig6[40] != 2 || binary.BigEndian.Uint32(tooBig6[44:]) != 1446 || len(tooBig6) != 1280 {
		t.Errorf("packet too big: %d bytes, %x", len(tooBig6), tooBig6[:48])
	}
	flow := b.count.Out.Flow()
	drops(t, flow.Drops, map[record.Drop]uint64{record.DropPathMTU: 3, record.DropExpired: 1})
}

func TestFullDeviceIsCounted(t *testing.T) {
	b := newBench(t)
	b.protected.full = true
	b.plain.in = [][]byte{framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 100))}
	b.outward()
	flow := b.count.Out.Flow()
	drops(t, flow.Drops, map[record.Drop]uint64{record.DropQueueFull: 1})
}

// TestNeighboursAreAskedFor before the first packet goes to them.
func TestNeighboursAreAskedFor(t *testing.T) {
	b := newBench(t)
	inner := ipv4("10.2.3.4", "10.1.0.77", 64, 100)
	b.protected.in = [][]byte{framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, 1, inner))}
	b.inward()
	if len(b.plain.out) != 0 {
		t.Fatalf("left for nowhere: %x", b.plain.out)
	}
	b.asks = true
	for range ethernet.Rounds {
		b.tended = -tendEvery
		b.tend()
	}
	if len(b.plain.out) != 1 || !bytes.Contains(b.plain.out[0], []byte{10, 1, 0, 77}) {
		t.Fatalf("asked: %x", b.plain.out)
	}
	reply := arpRequest(hostMAC, "10.1.0.77", "10.1.0.1")
	reply[21] = 2
	b.plain.in, b.plain.out = [][]byte{reply}, nil
	b.outward()
	b.protected.in = [][]byte{framed(protectedMAC, peerMAC, seal(t, inKey, 0x1002, 2, inner))}
	b.inward()
	if len(b.plain.out) != 1 || !bytes.HasPrefix(b.plain.out[0], hostMAC[:]) {
		t.Errorf("%x", b.plain.out)
	}
}

// TestNumbersArePromisedFirst and go on behind them after a restart.
func TestNumbersArePromisedFirst(t *testing.T) {
	_, host := newHosts()
	file, err := safile.Parse(strings.NewReader(saFile))
	if err != nil {
		t.Fatal(err)
	}
	store, e := openStore(t), newEngine(t)
	first := uint32(1)
	for round := range 3 {
		esp, err := NewESP(ESPConfig{Engine: e, File: file, Store: store, Host: host, MTU: 1500})
		if err != nil {
			t.Fatal(err)
		}
		if next := store.Next(0x1001); next != uint64(first)+chunk {
			t.Errorf("round %d: the numbers up to %d are promised", round, next)
		}
		memory := newMemory(t, 64)
		plain, protected := memory.end(), memory.end()
		w := &worker{protocol: esp.Worker(nil), plain: side{queue: plain, mtu: 1500}, protected: side{queue: protected, host: host, mtu: 1500}}
		w.plain.host, _ = newHosts()
		for range 5 {
			plain.in = append(plain.in, framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 100)))
		}
		w.outward()
		if n := binary.BigEndian.Uint32(protected.out[0][14+24:]); n != first {
			t.Errorf("round %d begins with number %d, not %d", round, n, first)
		}
		first += 5
		if err := esp.Close(); err != nil {
			t.Fatal(err)
		}
		if next := store.Next(0x1001); next != uint64(first) {
			t.Errorf("round %d leaves off at %d, not %d", round, next, first)
		}
	}
}

func TestPromisesRunOut(t *testing.T) {
	b := newBench(t)
	r := b.esp.all[0]
	r.asked.Store(true) // the disk is slow
	r.promised.Store(slack)
	b.plain.in = [][]byte{framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 100))}
	b.outward()
	flow := b.count.Out.Flow()
	drops(t, flow.Drops, map[record.Drop]uint64{record.DropLimit: 1})
}

func TestSAsWithoutAWay(t *testing.T) {
	_, host := newHosts()
	host = ethernet.NewHost(ethernet.Config{MAC: host.MAC()})
	for want, text := range map[error]string{ErrNoWay: saFile} {
		file, err := safile.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewESP(ESPConfig{Engine: newEngine(t), File: file, Store: openStore(t), Host: host}); !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), "0x1001") {
			t.Errorf("%v", err)
		}
	}
}

func TestNothingIsAllocated(t *testing.T) {
	b := newBench(t)
	frame := framed(plainMAC, hostMAC, ipv4("10.1.0.9", "10.2.3.4", 64, 100))
	in := make([][]byte, 32)
	for i := range in {
		in[i] = frame
	}
	b.protected.full = true // so that the test's device keeps nothing
	if n := testing.AllocsPerRun(100, func() {
		b.plain.in = in
		b.outward()
	}); n != 0 {
		t.Errorf("%v allocations a burst", n)
	}
}
