//go:build dpdk

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

const (
	killedOut = "000102030405060708090a0b0c0d0e0f01020304"
	killedIn  = "101112131415161718191a1b1c1d1e1f05060708"
	killedSPI = 0x1002 // of what comes in
)

// espGateway is one between two cables.
type espGateway struct {
	*process
	plain, protected *cable
	opened, sealed   chan []byte // what left on either side
}

// newESPGateway keeps its numbers in the file state.
func newESPGateway(t *testing.T, sa, state string) *espGateway {
	t.Helper()
	plainDevice, plainJoined := plugIn(t, 0)
	protectedDevice, protectedJoined := plugIn(t, 1)
	g := &espGateway{opened: make(chan []byte, 1024), sealed: make(chan []byte, 1024)}
	g.process = start(t, []string{dpdkBinary(t), "dpdk", "-json", "-protocol", "esp", "-sa", sa, "-sa-state", state,
		"-plain-device", plainDevice, "-plain-mac", "02:00:00:00:01:01", "-plain-address", "10.1.0.1/24", "-plain-peer", "02:00:00:00:01:02",
		"-protected-device", protectedDevice, "-protected-mac", "02:00:00:00:02:01", "-protected-address", "192.0.2.1/24", "-protected-peer", "02:00:00:00:02:02"})
	g.plain = plainJoined(func(f []byte) { g.opened <- bytes.Clone(f[14:]) })
	g.protected = protectedJoined(func(f []byte) { g.sealed <- bytes.Clone(f[14:]) })
	return g
}

// next is what leaves next on a side.
func (g *espGateway) next(side chan []byte) []byte {
	g.t.Helper()
	select {
	case p := <-side:
		return p
	case <-time.After(patience):
		g.t.Fatalf("nothing comes\n%s", g.log())
		return nil
	}
}

// behindPeer is a packet from a host behind the peer, of a length that ESP pads with two bytes.
func behindPeer(number uint32) []byte {
	return plainIPv4(80, func(p []byte) {
		copy(p[12:], []byte{10, 2, 0, 9, 10, 1, 0, 9})
		binary.BigEndian.PutUint32(p[20:], number)
	})
}

// marked waits until the numbers up to one are written down as accepted, and says which
// is the first that is not written down.
func marked(t *testing.T, state string, highest uint64) (first uint64) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		text, err := os.ReadFile(state + ".received")
		if err != nil {
			t.Fatal(err)
		}
		var spi uint32
		if _, err := fmt.Sscanf(string(text), "0x%x %d", &spi, &first); err == nil && spi == killedSPI && first > highest {
			return first
		}
	}
	t.Fatal("what was accepted is not written down")
	return 0
}

// TestKilledESPGatewayOnDPDK uses no number again: what was recorded before is refused after
// the kill, and so is what was written down ahead. From there on packets come through.
func TestKilledESPGatewayOnDPDK(t *testing.T) {
	const packets = 300 // more than the replay window remembers
	state := filepath.Join(t.TempDir(), "state")
	sa := write(t, "a.sa", fmt.Appendf(nil, "out spi=0x1001 transform=aes128gcm16 key=%s from=192.0.2.1 to=192.0.2.2 behind=10.2.0.0/16\n"+
		"in spi=%#x transform=aes128gcm16 key=%s from=192.0.2.2 to=192.0.2.1 behind=10.2.0.0/16\n", killedOut, killedSPI, killedIn))
	var refused [][]byte
	g := newESPGateway(t, sa, state)
	for number := uint32(1); number <= packets; number++ {
		recorded := sealESP(t, killedIn, killedSPI, number, behindPeer(number))
		g.protected.send(recorded)
		if got := g.next(g.opened); !bytes.Equal(got, aged(behindPeer(number))) {
			t.Fatalf("packet %d: %x", number, got)
		}
		refused = append(refused, recorded)
	}
	g.plain.send(toGateway(1, ofIPv4, plainIPv4(80, asItIs)))
	used := espNumber(g.next(g.sealed))
	marked(t, state, packets)
	if err := g.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = g.ended(t)
	first := marked(t, state, packets) // it may have been written once more

	g = newESPGateway(t, sa, state)
	refused = append(refused, sealESP(t, killedIn, killedSPI, uint32(first-1), behindPeer(0)))
	for _, frame := range append(refused, sealESP(t, killedIn, killedSPI, uint32(first), behindPeer(7))) {
		g.protected.send(frame)
	}
	if got := g.next(g.opened); !bytes.Equal(got, aged(behindPeer(7))) {
		t.Errorf("%x came through after the kill", got)
	}
	g.plain.send(toGateway(1, ofIPv4, plainIPv4(80, asItIs)))
	if number := espNumber(g.next(g.sealed)); number <= used || number > used+25_000_000 {
		t.Errorf("number %d after %d", number, used)
	}
	sum := totalsOf(g.process)
	if drops := sum.In.Drops; sum.In.Packets != 1 || drops["too-old"]+drops["replayed"] != uint64(len(refused)) || len(drops) > 2 {
		t.Errorf("%+v", sum.In)
	}
}

// espNumber is the sequence number of an ESP packet.
func espNumber(packet []byte) uint32 { return binary.BigEndian.Uint32(packet[24:]) }
