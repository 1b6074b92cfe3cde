//go:build dpdk

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

// killedGateway is a gateway that is killed again and again, and its peer.
type killedGateway struct {
	*espGateway
	sa, state string
	sent      uint32   // numbers that the peer has used
	recorded  [][]byte // what came through
	used      uint64   // the highest number that the gateway was seen to use
	plain     int      // packets from the plain side, of which each may have taken a number
}

func newKilledGateway(t *testing.T) *killedGateway {
	k := &killedGateway{state: filepath.Join(t.TempDir(), "state")}
	k.sa = write(t, "a.sa", fmt.Appendf(nil, "out spi=0x1001 transform=aes128gcm16 key=%s from=192.0.2.1 to=192.0.2.2 behind=10.2.0.0/16\n"+
		"in spi=%#x transform=aes128gcm16 key=%s from=192.0.2.2 to=192.0.2.1 behind=10.2.0.0/16\n", killedOut, killedSPI, killedIn))
	k.espGateway = newESPGateway(t, k.sa, k.state)
	return k
}

// kill ends the gateway without a word.
func (k *killedGateway) kill() {
	k.t.Helper()
	if err := k.cmd.Process.Kill(); err != nil {
		k.t.Fatal(err)
	}
	_ = k.ended(k.t)
}

// pass has packets come in one by one, and one go out.
func (k *killedGateway) pass(packets int) {
	k.t.Helper()
	for range packets {
		k.sent++
		frame := sealESP(k.t, killedIn, killedSPI, k.sent, behindPeer(k.sent))
		k.protected.send(frame)
		if got := k.next(k.opened); !bytes.Equal(got, aged(behindPeer(k.sent))) {
			k.t.Fatalf("packet %d: %x", k.sent, got)
		}
		k.recorded = append(k.recorded, frame)
	}
	k.espGateway.plain.send(toGateway(1, ofIPv4, plainIPv4(80, asItIs)))
	k.plain++
	k.used = uint64(espNumber(k.next(k.sealed)))
}

// passUntilKilled has packets come in and go out as fast as they may, and kills the gateway
// when at least so many have come through either way.
func (k *killedGateway) passUntilKilled(packets int) {
	k.t.Helper()
	pumps, from := k.pump(), k.sent
	highest, in, out := uint32(0), 0, 0
	take := func(end <-chan struct{}) bool {
		select {
		case p := <-k.opened:
			highest, in = max(highest, binary.BigEndian.Uint32(p[20:])), in+1
		case p := <-k.sealed:
			k.used, out = max(k.used, uint64(espNumber(p))), out+1
		case <-end:
			return false
		}
		return true
	}
	late, cancel := context.WithTimeout(k.t.Context(), patience)
	defer cancel()
	for in < packets || out < packets {
		if !take(late.Done()) {
			k.t.Fatalf("%d and %d packets came\n%s", in, out, k.log())
		}
	}
	if err := k.cmd.Process.Kill(); err != nil {
		k.t.Fatal(err)
	}
	var frames [][]byte
	unplugged := make(chan struct{})
	go func() {
		<-k.done
		frames = pumps()
		k.protected.unplug()
		k.espGateway.plain.unplug()
		close(unplugged)
	}()
	for take(unplugged) || len(k.opened)+len(k.sealed) != 0 {
	}
	k.recorded = append(k.recorded, frames[:highest-from]...)
}

// pump sends to both sides until stop is called, which returns what the peer sent.
func (k *killedGateway) pump() (stop func() (frames [][]byte)) {
	var all [][]byte
	ctx, cancel := context.WithCancel(k.t.Context())
	var running sync.WaitGroup
	from := k.sent
	running.Go(func() {
		for ctx.Err() == nil {
			number := from + uint32(len(all)) + 1
			frame := sealESP(k.t, killedIn, killedSPI, number, behindPeer(number))
			if k.protected.offer(ctx, frame) {
				all = append(all, frame)
			}
		}
	})
	running.Go(func() {
		for k.espGateway.plain.offer(ctx, toGateway(1, ofIPv4, plainIPv4(80, asItIs))) {
			k.plain++
		}
	})
	return func() [][]byte {
		cancel()
		running.Wait()
		k.sent += uint32(len(all))
		return all
	}
}

// restart sends the new gateway all that was recorded and what else is to be refused, and
// then a packet with a number that is not.
func (k *killedGateway) restart(refused [][]byte, number uint32) {
	k.t.Helper()
	k.espGateway = newESPGateway(k.t, k.sa, k.state)
	for _, frame := range append(refused, k.recorded...) {
		k.protected.send(frame)
	}
	k.sent = number - 1
	used := k.used
	k.pass(1)
	if k.used <= used {
		k.t.Errorf("number %d is used again", k.used)
	}
}

// TestKilledESPGatewayOnDPDK goes on where it was, also if packets come in and go out as it
// is killed: it takes none of those again that came through, at once those that follow, and
// uses no number again, and leaves none out. What its files say ahead is for another start
// of the system.
func TestKilledESPGatewayOnDPDK(t *testing.T) {
	const packets = 300 // more than the replay window remembers
	k := newKilledGateway(t)
	k.pass(packets)
	marked(t, k.state, packets+1) // the next number is written down ahead
	k.kill()
	k.restart(nil, packets+1)
	if k.used != 2 {
		t.Errorf("number %d, want 2", k.used)
	}

	k.passUntilKilled(5 * packets)
	k.restart(nil, k.sent+1)
	if most := uint64(k.plain); k.used > most {
		t.Errorf("number %d is used, after %d packets", k.used, most)
	}

	marked(t, k.state, uint64(k.sent))
	k.kill()
	first := marked(t, k.state, uint64(k.sent)) // it may have been written once more
	promised := rebooted(t, k.state)
	k.restart([][]byte{sealESP(t, killedIn, killedSPI, uint32(first-1), behindPeer(0))}, uint32(first))
	if k.used != promised {
		t.Errorf("number %d, want %d", k.used, promised)
	}
	sum := totalsOf(k.process)
	if drops := sum.In.Drops; sum.In.Packets != 1 || drops["too-old"]+drops["replayed"] != uint64(len(k.recorded)) || len(drops) > 2 {
		t.Errorf("%+v", sum.In)
	}
	if _, err := os.Stat(k.state + ".memory"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an end in order leaves memory behind: %v", err)
	}
}

// rebooted makes the memory of a gateway one of another start of the system, and says which
// number its files go on with.
func rebooted(t *testing.T, state string) (promised uint64) {
	t.Helper()
	link, boot := linkOf(t, state)
	write := bytes.Replace(link, []byte(boot), []byte("00000000-0000-0000-0000-000000000000"), 1)
	if err := os.WriteFile(state+".memory", write, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(state)
	if err == nil {
		_, err = fmt.Sscanf(string(text), "0x00001001 %d", &promised)
	}
	if err != nil {
		t.Fatal(err)
	}
	return promised
}

// linkOf is what leads to the memory of a gateway that was killed, and which start of the
// system it is of. The memory is given back in the end.
func linkOf(t *testing.T, state string) (link []byte, boot string) {
	t.Helper()
	link, err := os.ReadFile(state + ".memory")
	if err != nil {
		t.Fatal(err)
	}
	var id int
	if _, err := fmt.Sscanf(string(link), "boot %s memory %d", &boot, &id); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	return link, boot
}

// espNumber is the sequence number of an ESP packet.
func espNumber(packet []byte) uint32 { return binary.BigEndian.Uint32(packet[24:]) }
