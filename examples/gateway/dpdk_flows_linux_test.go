//go:build dpdk

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Flows are UDP between 10.1.0.9 on the plain side of a gateway and networks behind peers on
// its protected side, which are raw sockets with Go's own AES-GCM.
const (
	flowPeers = 32
	manyFlows = 2 * flowPeers
	perRound  = 4 // packets of each flow on their way at once
	rounds    = 20
	warmUp    = manyFlows // the number of a flow whose packets are not looked at
)

// flows are the sockets at both ends.
type flows struct {
	t       *testing.T
	plain   [manyFlows + 1]*net.UDPConn
	peers   [flowPeers]*net.IPConn
	next    [manyFlows]uint32 // number of a flow's next packet, out
	highest [flowPeers]uint32 // sequence number of a peer's SA
	sealed  uint64            // ESP packets that arrived
}

// within runs a function in a network namespace. Its sockets stay there.
func within(t *testing.T, namespace string, do func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		file, err := os.Open("/run/netns/" + namespace)
		if err == nil {
			err = unix.Setns(int(file.Fd()), unix.CLONE_NEWNET)
			err = errors.Join(err, file.Close())
		}
		if err == nil {
			err = do()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func flowPeer(peer int) net.IP { return net.IPv4(192, 0, 2, byte(10+peer)) }

func keyOfPeer(way string, peer int) string { return fmt.Sprintf("%s%038x", way, peer) }

const outKeys, inKeys = "0a", "0b"

// saFileOfFlows is the gateway's.
func saFileOfFlows(t *testing.T) string {
	t.Helper()
	var file strings.Builder
	for i := range flowPeers {
		const line = "%s peer=p%d spi=%d transform=aes128gcm16 key=%s from=%v to=%v behind=10.2.%d.0/24\n"
		gateway := net.IPv4(192, 0, 2, 1)
		fmt.Fprintf(&file, line, "out", i, 5000+i, keyOfPeer(outKeys, i), gateway, flowPeer(i), i)
		fmt.Fprintf(&file, line, "in", i, 6000+i, keyOfPeer(inKeys, i), flowPeer(i), gateway, i)
	}
	path := filepath.Join(t.TempDir(), "flows.sa")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newFlows gives the interfaces of two namespaces their addresses, and opens the sockets.
func newFlows(t *testing.T, plain, lan, protected, wan string) *flows {
	t.Helper()
	f := &flows{t: t}
	for i := range flowPeers {
		command(t, "ip", "-n", protected, "address", "add", flowPeer(i).String()+"/24", "dev", wan)
	}
	command(t, "ip", "-n", plain, "route", "replace", "10.2.0.0/16", "via", "10.1.0.1", "dev", lan)
	within(t, protected, func() (err error) {
		for i := range f.peers {
			if f.peers[i], err = net.ListenIP("ip4:esp", &net.IPAddr{IP: flowPeer(i)}); err != nil {
				return err
			}
		}
		return nil
	})
	within(t, plain, func() (err error) {
		for i := range f.plain {
			near, far := &net.UDPAddr{IP: net.IPv4(10, 1, 0, 9), Port: 20000 + i}, &net.UDPAddr{IP: net.IPv4(10, 2, byte(i%flowPeers), 9), Port: 30000 + i}
			if i == warmUp {
				f.plain[i], err = net.ListenUDP("udp4", near)
			} else {
				f.plain[i], err = net.DialUDP("udp4", near, far)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	t.Cleanup(f.close)
	f.warm()
	return f
}

func (f *flows) close() {
	for _, c := range f.plain {
		_ = c.Close()
	}
	for _, c := range f.peers {
		_ = c.Close()
	}
}

// warm sends to each peer until something arrives: then all know where the others live.
func (f *flows) warm() {
	f.t.Helper()
	for peer, c := range f.peers {
		to := &net.UDPAddr{IP: net.IPv4(10, 2, byte(peer), 9), Port: 30000 + warmUp}
		for end := time.Now().Add(patience); ; {
			if _, err := f.plain[warmUp].WriteTo([]byte("warm"), to); err != nil {
				f.t.Fatal(err)
			}
			_ = c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
			if n, _, err := c.ReadFrom(make([]byte, 2000)); err == nil && n > 0 {
				f.sealed++
				break
			}
			if time.Now().After(end) {
				f.t.Fatalf("nothing comes to peer %d", peer)
			}
		}
	}
}

// carry sends packets of all flows both ways, and looks that each arrives as it was sent, and
// those of a flow in order.
func (f *flows) carry() {
	f.t.Helper()
	for round := range rounds {
		for number := range perRound {
			f.sendOut(round*perRound + number)
		}
		for peer := range f.peers {
			f.opened(peer, perRound*manyFlows/flowPeers)
		}
		for number := range perRound {
			f.sendIn(round*perRound + number)
		}
		for flow := range manyFlows {
			f.arrived(flow, round*perRound)
		}
	}
}

// flowContent is what packet number of a flow carries: odd lengths too.
func flowContent(flow, number int) []byte {
	content := make([]byte, 8+(flow*37+number*11)%1200)
	for i := range content {
		content[i] = byte(i * (flow + 1))
	}
	binary.BigEndian.PutUint32(content, uint32(flow))
	binary.BigEndian.PutUint32(content[4:], uint32(number))
	return content
}

func (f *flows) sendOut(number int) {
	f.t.Helper()
	for flow, c := range f.plain[:manyFlows] {
		if _, err := c.Write(flowContent(flow, number)); err != nil {
			f.t.Fatal(err)
		}
	}
}

// opened opens so many packets that a peer gets, beside those of warm.
func (f *flows) opened(peer, packets int) {
	f.t.Helper()
	buffer := make([]byte, 2000)
	for packets > 0 {
		_ = f.peers[peer].SetReadDeadline(time.Now().Add(patience))
		n, _, err := f.peers[peer].ReadFrom(buffer)
		if err != nil {
			f.t.Fatalf("peer %d lacks %d packets: %v", peer, packets, err)
		}
		f.sealed++
		plain := openESP(f.t, keyOfPeer(outKeys, peer), buffer[:n])
		packet := plain[:binary.BigEndian.Uint16(plain[2:])]
		if udpChecksum(packet) != 0 || internetChecksum(packet[:20]) != 0 {
			f.t.Fatalf("a checksum is wrong in %x", packet)
		}
		flow := int(binary.BigEndian.Uint16(packet[20:])) - 20000
		if flow == warmUp {
			continue
		}
		if want := flowContent(flow, int(f.next[flow])); !bytes.Equal(packet[28:], want) {
			f.t.Fatalf("flow %d: %x, want packet %d", flow, packet[28:36], f.next[flow])
		}
		f.next[flow]++
		packets--
	}
}

// sendIn has the peers seal a packet of each flow.
func (f *flows) sendIn(number int) {
	f.t.Helper()
	gateway := &net.IPAddr{IP: net.IPv4(192, 0, 2, 1)}
	for flow := range manyFlows {
		peer := flow % flowPeers
		f.highest[peer]++
		frame := sealESP(f.t, keyOfPeer(inKeys, peer), uint32(6000+peer), f.highest[peer], udpPacket(flow, flowContent(flow, number)))
		if _, err := f.peers[peer].WriteTo(frame[34:], gateway); err != nil { // the system makes the headers in front
			f.t.Fatal(err)
		}
	}
}

// udpPacket comes from a network behind a peer.
func udpPacket(flow int, content []byte) []byte {
	p := plainIPv4(28+len(content), func(p []byte) {
		p[9] = 17
		copy(p[12:], []byte{10, 2, byte(flow % flowPeers), 9, 10, 1, 0, 9})
	})
	binary.BigEndian.PutUint16(p[20:], uint16(30000+flow))
	binary.BigEndian.PutUint16(p[22:], uint16(20000+flow))
	binary.BigEndian.PutUint16(p[24:], uint16(len(p)-20))
	copy(p[28:], content)
	binary.BigEndian.PutUint16(p[26:], udpChecksum(p))
	return p
}

// udpChecksum is that of a UDP packet in IPv4 without options, and 0 when the one in it is right.
func udpChecksum(p []byte) uint16 {
	pseudo := append(bytes.Clone(p[12:20]), 0, 17, p[24], p[25])
	pseudo = append(pseudo, p[20:]...)
	return internetChecksum(append(pseudo, make([]byte, len(p)%2)...))
}

// arrived looks at the packets of a flow that came to the plain side.
func (f *flows) arrived(flow, first int) {
	f.t.Helper()
	buffer := make([]byte, 2000)
	for number := range perRound {
		_ = f.plain[flow].SetReadDeadline(time.Now().Add(patience))
		n, err := f.plain[flow].Read(buffer)
		if err != nil || !bytes.Equal(buffer[:n], flowContent(flow, first+number)) {
			f.t.Fatalf("flow %d: %x, want packet %d: %v", flow, buffer[:min(n, 8)], first+number, err)
		}
	}
}
