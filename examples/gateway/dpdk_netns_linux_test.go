//go:build dpdk

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// dpdkHosts are a client, a gateway between two devices of DPDK, and a host on its plain
// side. The client is at 192.0.2.2 of an Ethernet cable to the gateway, the plain host at
// 10.1.0.9 behind a TAP device.
type dpdkHosts struct {
	hosts
	plain   string // namespace
	gateway *process
}

// newDPDKHosts starts a gateway at 192.0.2.1 and 10.1.0.1.
func newDPDKHosts(t *testing.T, flags ...string) *dpdkHosts {
	t.Helper()
	return newDPDKHostsOn(t, "net_af_packet0,iface=wan", flags...)
}

// newDPDKHostsOn starts one with that device on the protected side.
func newDPDKHostsOn(t *testing.T, protected string, flags ...string) *dpdkHosts {
	t.Helper()
	h := &dpdkHosts{hosts: newHosts(t), plain: fmt.Sprintf("sbgw-%d-plain", os.Getpid())}
	command(t, "ip", "netns", "add", h.plain)
	t.Cleanup(func() { command(t, "ip", "netns", "delete", h.plain) })
	command(t, "ip", "-n", h.server, "address", "flush", "dev", "wan") // the gateway's, not the system's
	for _, host := range []string{h.server, h.client} {
		command(t, in(host, "ethtool", "-K", "wan", "tx", "off", "gro", "off")...)
	}
	tap := fmt.Sprintf("sbt%d", os.Getpid())
	h.gateway = start(t, in(h.server, append([]string{
		dpdkBinary(t), "dpdk", "-json", "-plain-device", "net_tap0,iface=" + tap, "-protected-device", protected,
		"-plain-address", "10.1.0.1/24", "-protected-address", "192.0.2.1/24",
	}, flags...)...))
	h.gateway.await(`"msg":"serving"`)
	command(t, "ip", "-n", h.server, "link", "set", tap, "netns", h.plain)
	command(t, "ip", "-n", h.plain, "link", "set", tap, "name", "lan", "up")
	command(t, "ip", "-n", h.plain, "address", "add", "10.1.0.9/24", "dev", "lan")
	command(t, "ip", "-n", h.plain, "route", "add", "default", "via", "10.1.0.1")
	return h
}

func dpdkPSK(t *testing.T) string {
	return write(t, "psk", []byte("alice:"+strings.Repeat("5a", 16)+"\n"))
}

// TestClientsOfAGatewayOnDPDK reach a host behind it, whether it has one thread or two.
func TestClientsOfAGatewayOnDPDK(t *testing.T) {
	need(t, "ip", "ss", "ping", "iperf3", "ethtool")
	for _, workers := range []string{"1", "2"} {
		t.Run(workers, func(t *testing.T) { carryClients(t, "-steps", "-workers", workers) })
	}
}

func carryClients(t *testing.T, flags ...string) {
	psk := dpdkPSK(t)
	h := newDPDKHosts(t, append(flags, "-psk", psk)...)
	ping(t, h.hosts, "192.0.2.1") // the gateway itself
	ping(t, hosts{client: h.plain}, "10.1.0.1")
	client := start(t, in(h.client, dpdkBinary(t), "connect", "-json", "192.0.2.1:4433", "-psk", psk, "-route", "10.1.0.0/24"))
	client.await(`"msg":"plain side open"`)
	ping(t, h.hosts, "10.1.0.9")
	ping(t, h.hosts, "10.99.0.1") // the gateway inside the tunnel
	ping(t, h.hosts, "10.1.0.1")  // and through it on its other side
	ping(t, hosts{client: h.plain}, "10.99.0.2")
	behind := hosts{server: h.plain, client: h.client}
	up := iperf(t, behind, "10.1.0.9")
	down := iperf(t, behind, "10.1.0.9", "--reverse")
	ping(t, h.hosts, "10.1.0.9")

	c, s := client.interrupt(), h.gateway.interrupt()
	t.Logf("iperf3: %.2f and %.2f Gbit/s; %s", up*4/1e9, down*4/1e9, h.gateway.stdout.String())
	if c.Opened != 1 || s.Opened != 1 || s.Failed != 0 {
		t.Errorf("the session was lost: client %+v, gateway %+v", c, s)
	}
	if up == 0 || down == 0 || float64(s.In.Bytes) < up || float64(s.Out.Bytes) < down {
		t.Errorf("%.0f and %.0f bytes arrived, not all through the gateway: %+v", up, down, s)
	}
}

// TestOpenSSLThroughDPDK speaks DTLS with the gateway and sends an IP packet of its own
// making through the tunnel.
func TestOpenSSLThroughDPDK(t *testing.T) {
	need(t, "ip", "ping", "ethtool", "openssl")
	peertest.Program(t, "openssl")
	h := newDPDKHosts(t, "-psk", dpdkPSK(t))
	ping(t, hosts{client: h.plain}, "10.1.0.1") // so that the gateway knows where the plain host is
	args := in(h.client, "openssl", "s_client", "-dtls1_2", "-quiet", "-connect", "192.0.2.1:4433",
		"-psk_identity", "alice", "-psk", strings.Repeat("5a", 16), "-cipher", "PSK-AES128-GCM-SHA256")
	client := exec.Command(args[0], args[1:]...)
	stdin, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = client.Process.Kill(), client.Wait() }()
	timeout := time.AfterFunc(patience, func() { _ = client.Process.Kill() })
	defer timeout.Stop()

	address := exchange(t, stdin, stdout, []byte{1}, 8) // asks for its address
	if want := []byte{2, 24, 1400 >> 8, 1400 & 255, 10, 99, 0, 2}; !bytes.Equal(address, want) {
		t.Fatalf("assigned %x, want %x", address, want)
	}
	request := echoRequest(1, 64)
	reply := exchange(t, stdin, stdout, request, len(request))
	if reply[20] != 0 || !bytes.Equal(reply[24:], request[24:]) || !bytes.Equal(reply[12:16], []byte{10, 1, 0, 9}) {
		t.Errorf("reply %x", reply)
	}
	foreign := echoRequest(2, 64)
	foreign[15] = 77 // from an address that is not the client's
	fixIPv4(foreign)
	if _, err := stdin.Write(foreign); err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	exchange(t, stdin, stdout, echoRequest(3, 64), 64)
	h.gateway.interrupt()
	if out := h.gateway.stdout.String(); !strings.Contains(out, `"wrong-source":1`) {
		t.Errorf("%s", out)
	}
}

func exchange(t *testing.T, to io.Writer, from io.Reader, message []byte, want int) []byte {
	t.Helper()
	if _, err := to.Write(message); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, want)
	if _, err := io.ReadFull(from, answer); err != nil {
		t.Fatalf("no answer to %x: %v", message, err)
	}
	return answer
}

// echoRequest is a ping from 10.99.0.2 to 10.1.0.9.
func echoRequest(number byte, length int) []byte {
	p := make([]byte, length)
	copy(p, []byte{0x45, 0, 0, byte(length), 0, number, 0, 0, 64, 1, 0, 0, 10, 99, 0, 2, 10, 1, 0, 9, 8, 0, 0, 0, 0x77, 1, 0, number})
	fixIPv4(p)
	binary.BigEndian.PutUint16(p[22:], internetChecksum(p[20:]))
	return p
}

func fixIPv4(p []byte) {
	p[10], p[11] = 0, 0
	binary.BigEndian.PutUint16(p[10:], internetChecksum(p[:20]))
}

// internetChecksum is RFC 1071's.
func internetChecksum(b []byte) uint16 {
	var s uint32
	for i := 0; i < len(b); i += 2 {
		s += uint32(b[i])<<8 | uint32(b[i+1])
	}
	for s>>16 != 0 {
		s = s&0xffff + s>>16
	}
	return ^uint16(s)
}

// TestESPBetweenDPDKAndAFPacket joins a host behind a gateway on DPDK to one behind a
// gateway on TUN and AF_PACKET, by ESP in IP.
func TestESPBetweenDPDKAndAFPacket(t *testing.T) {
	need(t, "ip", "ping", "iperf3", "ss", "ethtool")
	dir := t.TempDir()
	sa := func(name, inside, from, to, behind string, other bool) string {
		out, in := "out spi=0x2001", "in spi=0x2002"
		if other {
			out, in = "out spi=0x2002", "in spi=0x2001"
		}
		text := fmt.Sprintf("inside address="+inside+" mtu=1400\n%s transform=aes128gcm16 key=%s from=%s to=%s behind=%s\n%s transform=aes128gcm16 key=%s from=%s to=%s behind=%s\n",
			out, keyOf(out), from, to, behind, in, keyOf(in), to, from, behind)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	h := newDPDKHosts(t, "-protocol", "esp", "-sa", sa("dpdk.sa", "10.9.0.1/24", "192.0.2.1", "192.0.2.77", "10.2.0.0/24,fd00:2::/64", false),
		"-plain-address", "fd00:1::1/64", "-protected-peer", "ff:ff:ff:ff:ff:ff") // the other gateway answers no ARP
	other := start(t, in(h.client, dpdkBinary(t), "serve", "-json", "-protocol", "esp",
		"-sa", sa("other.sa", "10.2.0.1/24", "192.0.2.77", "192.0.2.1", "10.1.0.0/24,10.9.0.0/24,fd00:1::/64", true),
		"-plain", "tun:inner", "-route", "10.1.0.0/24", "-route", "10.9.0.0/24", "-protected", "afpacket:wan"))
	other.await(`"msg":"serving"`)
	command(t, "ip", "-n", h.client, "address", "add", "fd00:2::1/64", "dev", "inner", "nodad")
	command(t, "ip", "-n", h.client, "route", "add", "fd00:1::/64", "dev", "inner")
	ping(t, hosts{client: h.plain}, "10.1.0.1") // so that the gateway knows where the plain host is
	ping(t, h.hosts, "10.1.0.9")
	for _, own := range []string{"10.9.0.1", "10.1.0.1", "fd00:1::1"} {
		ping(t, h.hosts, own) // the gateway inside the tunnel, and through it on its other side
	}
	ping(t, hosts{client: h.plain}, "10.2.0.1")
	if n := iperf(t, hosts{server: h.plain, client: h.client}, "10.1.0.9"); n == 0 {
		t.Error("nothing arrived")
	}
	o, s := other.interrupt(), h.gateway.interrupt()
	if o.Out.Packets < 20 || s.In.Packets < 20 || s.Out.Packets < 20 {
		t.Errorf("%+v, %+v", o, s)
	}
}

// keyOf is the key of an SA, the same at both ends.
func keyOf(line string) string {
	return strings.Repeat(line[len(line)-1:]+"b", 20)
}

// TestHandshakeFloodOnDPDK is shed, and keeps no client out.
func TestHandshakeFloodOnDPDK(t *testing.T) {
	need(t, "ip", "ping", "ethtool", "openssl")
	psk := dpdkPSK(t)
	h := newDPDKHosts(t, "-psk", psk, "-address", "fd00:99::1/64")
	flood := start(t, in(h.client, "sh", "-c", "i=0; while [ $i -lt 300 ]; do i=$((i+1)); "+
		"timeout 0.05 openssl s_client -dtls1_2 -connect 192.0.2.1:4433 -psk 00 -psk_identity nobody </dev/null >/dev/null 2>&1 & "+
		"[ $((i%20)) = 0 ] && wait; done; wait"))
	client := start(t, in(h.client, dpdkBinary(t), "connect", "-json", "192.0.2.1:4433", "-psk", psk))
	client.await(`"msg":"plain side open"`)
	ping(t, h.hosts, "fd00:99::1") // the gateway inside the tunnel
	_ = flood.cmd.Process.Kill()
	if c := client.interrupt(); c.Opened != 1 {
		t.Errorf("%+v", c)
	}
}
