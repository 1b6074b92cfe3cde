//go:build dpdk

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
)

// plainHost is the host of the plain side, which has a box for what comes from each client.
type plainHost struct {
	*cable
	boxes []chan []byte
}

// take finds the client's number in the packet.
func (h *plainHost) take(frame []byte) {
	if len(frame) < 14+24 || frame[23] != 253 {
		return
	}
	if client := binary.BigEndian.Uint32(frame[14+20:]); int(client) < len(h.boxes) {
		h.boxes[client] <- bytes.Clone(frame[14:])
	}
}

// talk is what a client and the plain host say to each other: so many packets out to the
// client, and in from it. In between the client sends one record again, and one that was
// forged.
func (h *plainHost) talk(client *dtlsClient, packets int) error {
	number := client.socket.number
	for n := range packets {
		h.send(toGateway(1, ofIPv4, outPacket(client, n)))
	}
	for n := range packets {
		if got, err := client.packet(); err != nil || !bytes.Equal(got, aged(outPacket(client, n))) {
			return fmt.Errorf("packet %d to it: %x, %w", n, got, err)
		}
	}
	for n := range packets {
		if n == packets-1 {
			record := *client.socket.latest.Load()
			client.socket.clients.send(number, record)
			forged := bytes.Clone(record)
			forged[len(forged)-1] ^= 1
			forged[10] += 100 // a number that is not taken
			client.socket.clients.send(number, forged)
		}
		if _, err := client.Write(inPacket(client, n)); err != nil {
			return err
		}
	}
	for n := range packets {
		select {
		case got := <-h.boxes[number]:
			if !bytes.Equal(got, aged(inPacket(client, n))) {
				return fmt.Errorf("packet %d from it: %x", n, got)
			}
		case <-time.After(patience):
			return fmt.Errorf("packet %d from it does not come", n)
		}
	}
	return nil
}

func outPacket(to *dtlsClient, n int) []byte {
	return plainIPv4(80, func(p []byte) { copy(p[16:], to.address); p[30] = byte(n) })
}

func inPacket(from *dtlsClient, n int) []byte {
	return plainIPv4(80, func(p []byte) {
		copy(p[12:], from.address)
		copy(p[16:], []byte{10, 1, 0, 9})
		binary.BigEndian.PutUint32(p[20:], uint32(from.socket.number))
		p[30] = byte(n)
	})
}

// aged is an IPv4 packet one hop on.
func aged(p []byte) []byte {
	p[8]--
	fixIPv4(p)
	return p
}

// dtlsGateway is one between two cables, with so many clients that have keys.
type dtlsGateway struct {
	*process
	plain   *plainHost
	clients *dtlsClients
}

func newDTLSGateway(t *testing.T, clients int) *dtlsGateway {
	t.Helper()
	return startDTLSGateway(t, []string{dpdkBinary(t)}, clients)
}

// startDTLSGateway starts it by such a command.
func startDTLSGateway(t *testing.T, command []string, clients int, flags ...string) *dtlsGateway {
	t.Helper()
	var psk strings.Builder
	for i := range clients {
		fmt.Fprintf(&psk, "c%d:%s\n", i, clientKey(i))
	}
	plainDevice, plainJoined := plugIn(t, 0)
	protectedDevice, protectedJoined := plugIn(t, 1)
	g := &dtlsGateway{plain: &plainHost{boxes: boxes(clients)}, clients: &dtlsClients{boxes: boxes(clients)}}
	args := append(command, "dpdk", "-json", "-log", "error", "-psk", write(t, "psk", []byte(psk.String())), "-address", "10.64.0.1/16",
		"-plain-device", plainDevice, "-plain-mac", "02:00:00:00:01:01", "-plain-address", "10.1.0.1/24", "-plain-peer", "02:00:00:00:01:02",
		"-protected-device", protectedDevice, "-protected-mac", "02:00:00:00:02:01", "-protected-address", "192.0.2.1/24", "-protected-peer", "02:00:00:00:02:02")
	g.process = start(t, append(args, flags...))
	g.plain.cable = plainJoined(g.plain.take)
	g.clients.cable = protectedJoined(g.clients.take)
	return g
}

// connectAll connects every client, some at a time.
func (g *dtlsGateway) connectAll(atOnce int) (all []atomic.Pointer[dtlsClient], stopKeeping func()) {
	g.t.Helper()
	all = make([]atomic.Pointer[dtlsClient], len(g.clients.boxes))
	stopKeeping = g.clients.keepAlive(all)
	inTurns(len(all), atOnce, func(i int) {
		one, err := g.clients.connect(g.t.Context(), i)
		if err != nil {
			g.t.Errorf("client %d: %v", i, err)
			return
		}
		all[i].Store(one)
	})
	if g.t.Failed() {
		stopKeeping()
		g.t.Fatal(g.log())
	}
	return all, stopKeeping
}

// TestTenThousandClientsOfDTLSOnDPDK shake hands over a virtual device while others are
// served; the short form has a thousand. Then each of them and a host of the plain side, behind
// another device, send each other packets: everything that the devices delivered comes out at
// the other end, in order and at nobody else, or was replayed or forged and counts as that.
func TestTenThousandClientsOfDTLSOnDPDK(t *testing.T) {
	clients, packets := 10_000, 5
	if testing.Short() {
		clients = 1000
	}
	const atOnce = 20
	g := newDTLSGateway(t, clients)
	all, stopKeeping := g.connectAll(atOnce)
	inTurns(clients, atOnce, func(i int) {
		if err := g.plain.talk(all[i].Load(), packets); err != nil {
			t.Errorf("client %d: %v", i, err)
		}
	})
	stopKeeping()
	nobody := &dtlsClient{address: []byte{10, 64, 255, 254}}
	g.plain.send(toGateway(1, ofIPv4, outPacket(nobody, 0)))
	if err := g.clients.leave(all); err != nil {
		t.Error(err)
	}
	if err := g.plain.talk(all[0].Load(), packets); err != nil {
		t.Errorf("the last client: %v", err)
	}
	sum, rounds := totalsOf(g.process), uint64(clients+1)
	if sum.Opened != uint64(clients) || sum.Failed+sum.Shed+sum.Overrun != 0 {
		t.Errorf("%+v", sum)
	}
	for device, lost := range sum.Devices {
		if lost != (dpdk.Losses{}) {
			t.Errorf("%s lost %+v", device, lost)
		}
	}
	sum.Out.account(t, "plain", g.plain.sent, rounds*uint64(packets), map[string]uint64{"unknown-session": 1})
	sum.In.account(t, "protected", g.clients.packets.Load(), rounds*uint64(packets), map[string]uint64{"replayed": rounds, "unauthentic": rounds})
}

func boxes(n int) (all []chan []byte) {
	for range n {
		all = append(all, make(chan []byte, 64))
	}
	return all
}

// inTurns does something for each number, some at a time.
func inTurns(n, atOnce int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	all.Wait()
}
