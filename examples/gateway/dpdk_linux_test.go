//go:build dpdk

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDPDKWritesWhatThePcapPortWrites byte for byte, and reads it back.
func TestDPDKWritesWhatThePcapPortWrites(t *testing.T) {
	gateway, dir := dpdkBinary(t), t.TempDir()
	empty := record(t, "empty.pcap")
	sa, back := write(t, "a.sa", []byte(wireOut)), write(t, "b.sa", []byte(wireIn))
	byPort, byDevice := filepath.Join(dir, "port.pcap"), filepath.Join(dir, "device.pcap")
	command(t, gateway, "serve", "-protocol", "esp", "-sa", sa, "-sa-state", filepath.Join(dir, "state"), "-mtu", "9000",
		"-plain", "pcap:"+recorded+","+filepath.Join(dir, "nothing.pcap"), "-protected", "pcap:"+empty+","+byPort)
	sum := onDPDK(t, gateway, wire(pcapDevice(0, recorded, "/dev/null"), pcapDevice(1, empty, byDevice), sa)...)
	want := packets(t, byPort)
	samePackets(t, packets(t, byDevice), want)
	if len(want) < 3000 || sum.Out.Packets != uint64(len(want)) {
		t.Errorf("%d packets: %+v", len(want), sum)
	}

	opened := filepath.Join(dir, "opened.pcap")
	sum = onDPDK(t, gateway, wire(pcapDevice(0, empty, opened), pcapDevice(1, byDevice, "/dev/null"), back)...)
	plain := packets(t, opened)
	if sum.In.Packets != uint64(len(want)) || len(plain) != len(want) {
		t.Errorf("opened %+v", sum)
	}
	samePackets(t, plain, packets(t, recorded)[:len(plain)])
}

// TestDPDKFlowsOverSeveralThreads loses nothing and keeps the order of each SA.
func TestDPDKFlowsOverSeveralThreads(t *testing.T) {
	gateway, out := dpdkBinary(t), filepath.Join(t.TempDir(), "out.pcap")
	some := packets(t, recorded)[:800] // as many as wait for a thread that is slow
	flags := wire(pcapDevice(0, record(t, "in.pcap", some...), "/dev/null"), pcapDevice(1, record(t, "empty.pcap"), out), write(t, "a.sa", []byte(wireOut)))
	sum := onDPDK(t, gateway, append(flags, "-workers", "3", "-steps")...)
	all := packets(t, out)
	if sum.Out.Packets != uint64(len(all)) || len(all) != len(some) || len(sum.Out.Drops) != 0 {
		t.Errorf("%d packets: %+v", len(all), sum)
	}
	numbers := map[uint32]bool{}
	for _, p := range all {
		numbers[binary.BigEndian.Uint32(p[24:])] = true
	}
	if len(numbers) != len(all) {
		t.Errorf("%d packets have %d numbers", len(all), len(numbers))
	}
	seen := ""
	for _, s := range sum.Steps {
		seen += s.Way + " " + s.Step + ";"
		if s.NS <= 0 {
			t.Errorf("%s %s takes no time", s.Way, s.Step)
		}
	}
	if seen != "out receive;out look-up;out number;out seal;out send;" {
		t.Errorf("steps: %s", seen)
	}
}

// short are the packets that fit into shared memory once they are sealed.
func short(all [][]byte) (fit [][]byte) {
	for _, p := range all {
		if len(p) <= 1400 {
			fit = append(fit, p)
		}
	}
	return fit
}

// memifDevice is one end of shared memory with another process.
func memifDevice(role, socket string) string {
	return fmt.Sprintf("net_memif0,role=%s,socket-abstract=no,socket=%s", role, socket)
}

// TestTwoGatewaysOnDPDKOverSharedMemory carry a capture from one process to the other.
func TestTwoGatewaysOnDPDKOverSharedMemory(t *testing.T) {
	gateway, dir := dpdkBinary(t), t.TempDir()
	some := short(packets(t, recorded))[:800] // as many as the shared memory holds
	in, out, socket := record(t, "in.pcap", some...), filepath.Join(dir, "out.pcap"), filepath.Join(dir, "s")
	far := start(t, append([]string{gateway, "dpdk", "-json", "-await", "0s"}, wireFor(
		pcapDevice(0, record(t, "empty.pcap"), out), memifDevice("server", socket), write(t, "b.sa", []byte(wireIn)))...))
	far.await(`"msg":"serving"`)
	sum := onDPDK(t, gateway, append(wireFor(pcapDevice(0, in, "/dev/null"), memifDevice("client", socket), write(t, "a.sa", []byte(wireOut))),
		"-quiet", "3s")...) // shared memory goes with its writer: time to read it
	if sum.Out.Packets != 800 {
		t.Errorf("%+v", sum.Out)
	}
	if sum := far.interrupt(); sum.In.Packets != 800 {
		t.Errorf("%+v\n%s", sum.In, far.log())
	}
	samePackets(t, packets(t, out), some)
}

// TestFarSideOfDPDKIsKilled and comes back: the gateway goes on, and no buffer is lost.
func TestFarSideOfDPDKIsKilled(t *testing.T) {
	gateway, dir := dpdkBinary(t), t.TempDir()
	socket := filepath.Join(dir, "s")
	near := start(t, append([]string{gateway, "dpdk", "-json", "-await", "0s"}, wireFor(
		"net_pcap0,rx_pcap="+record(t, "in.pcap", short(packets(t, recorded))[:64]...)+",tx_pcap=/dev/null,infinite_rx=1",
		memifDevice("server", socket), write(t, "a.sa", []byte(wireOut)))...))
	near.await(`"msg":"serving"`)
	sa := write(t, "b.sa", []byte(wireIn))
	for round := range 2 {
		far := start(t, append([]string{gateway, "dpdk", "-json"}, wireFor(
			pcapDevice(0, record(t, "empty.pcap"), "/dev/null"), memifDevice("client", socket), sa)...))
		near.awaitTimes(`"up":true`, round+2) // the capture's link is always up
		time.Sleep(200 * time.Millisecond)
		if err := far.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		near.awaitTimes(`"up":false`, round+1)
	}
	linkOf(t, sa+".next")
	if sum := near.interrupt(); sum.Out.Packets < 10000 {
		t.Errorf("%+v", sum.Out)
	}
}

// TestBadDPDKFlags give one line on stderr and exit code 1.
func TestBadDPDKFlags(t *testing.T) {
	gateway := dpdkBinary(t)
	sa, empty := write(t, "a.sa", []byte(wireOut)), record(t, "empty.pcap")
	good := pcapDevice(0, empty, "/dev/null")
	for _, c := range []struct {
		want string
		args []string
	}{
		{"net_nonsense0", wire(good, "net_nonsense0", sa)},
		{"net_pcap1", wire(good, pcapDevice(1, "/nowhere", "/dev/null"), sa)},
		{"crypto_null0", wire(good, "crypto_null0", sa)},
		{"no hardware address", append(wire(good, "net_null0", sa), "-plain-mac", "x")},
		{"-workers 0", append(wire(good, "net_null0", sa), "-workers", "0")},
		{"70000 bytes", append(wire(good, "net_null0", sa), "-plain-mtu", "70000")},
		{"takes an MTU", append(wire(good, memifDevice("server", "/tmp/x"), sa), "-protected-mtu", "9000")},
		{"DPDK does not start", append(wire(good, "net_null0", sa), "-eal=--nonsense")},
		{"buffers", append(wire(good, "net_null0", sa), "-buffers", "100000000")},
		{"SA file", wire(good, "net_null0", write(t, "c.sa", []byte("out spi=1")))},
		{"-protected-address", []string{"-psk", write(t, "psk", []byte("a:"+strings.Repeat("ab", 16))), "-plain-device", good, "-protected-device", "net_null0"}},
	} {
		cmd := exec.Command(gateway, append([]string{"dpdk", "-log", "error"}, c.args...)...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		if last := lines[len(lines)-1]; err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.HasPrefix(last, "gateway: ") || !strings.Contains(last, c.want) {
			t.Errorf("%q: %v, %q; want a line with %q", c.args, err, stderr.String(), c.want)
		}
	}
}
