//go:build dpdk

package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
)

// asGateway makes this test's program the gateway: DPDK starts once a process.
const asGateway = "SEALBURST_TEST_AS_GATEWAY"

func TestMain(m *testing.M) {
	if os.Getenv(asGateway) != "" {
		main()
	}
	os.Setenv(asGateway, "yes") // of those that the tests start
	os.Exit(m.Run())
}

// dpdkBinary is a gateway with DPDK.
func dpdkBinary(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// dpdkTotalsRead are what these tests look at of the totals.
type dpdkTotalsRead struct {
	Opened  uint64 `json:"sessions_opened"`
	Out, In struct {
		Packets, Bytes uint64
		Drops          map[string]uint64
	}
	Steps []struct {
		Way, Step string
		NS        float64 `json:"ns_packet"`
		How       string
	}
}

// onDPDK runs a gateway to its end.
func onDPDK(t *testing.T, gateway string, args ...string) (sum dpdkTotalsRead) {
	t.Helper()
	cmd := exec.Command(gateway, append([]string{"dpdk", "-json"}, args...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	if err := json.Unmarshal(stdout.Bytes(), &sum); err != nil {
		t.Fatalf("%v printed %q: %v\n%s", cmd, stdout.String(), err, stderr.String())
	}
	return sum
}

// pcapDevice is a device that receives one capture and writes another.
func pcapDevice(n int, in, out string) string {
	return fmt.Sprintf("net_pcap%d,rx_pcap=%s,tx_pcap=%s", n, in, out)
}

const (
	wireOut = "out spi=0x1001 transform=aes128gcm16 key=000102030405060708090a0b0c0d0e0f01020304 from=192.0.2.1 to=192.0.2.2 behind=0.0.0.0/0,::/0\n"
	wireIn  = "in spi=0x1001 transform=aes128gcm16 key=000102030405060708090a0b0c0d0e0f01020304 from=192.0.2.1 to=192.0.2.2 behind=0.0.0.0/0,::/0\n"
)

// wire are flags of a gateway that is as transparent as the pcap port.
func wire(plain, protected, sa string) []string {
	return []string{
		"-protocol", "esp", "-sa", sa, "-transparent", "-quiet", "700ms", "-plain-mtu", "9000", "-protected-mtu", protectedMTU(protected),
		"-plain-device", plain, "-protected-device", protected, "-plain-peer", "02:00:00:00:00:01", "-protected-peer", "02:00:00:00:00:02",
	}
}

func protectedMTU(device string) string {
	if strings.HasPrefix(device, "net_memif") {
		return "1500" // the driver takes no more
	}
	return "9200"
}

// packets are the IP packets of a capture.
func packets(t *testing.T, path string) (all [][]byte) {
	t.Helper()
	r, err := capture.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		frame, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if frame.IP && !frame.Cut {
			all = append(all, bytes.Clone(frame.Packet()))
		}
	}
}

// record writes IP packets as Ethernet frames.
func record(t *testing.T, name string, packets ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	w, err := capture.Create(path, capture.Format{Link: capture.Ethernet, Snap: capture.MaxSnap})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range packets {
		frame := append([]byte("\x02\x00\x00\x00\x00\x09\x02\x00\x00\x00\x00\x08\x08\x00"), p...)
		if p[0]>>4 == 6 {
			frame[12], frame[13] = 0x86, 0xdd
		}
		if err := w.Write(time.Unix(int64(i), 0), frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func samePackets(t *testing.T, got, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d packets, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("packet %d differs:\n%x\n%x", i, got[i], want[i])
		}
	}
}

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

// TestTenThousandSAsOnDPDK seal for ten thousand peers; Go's own AES-GCM opens it.
func TestTenThousandSAsOnDPDK(t *testing.T) {
	const sas = 10_000
	gateway, out := dpdkBinary(t), filepath.Join(t.TempDir(), "out.pcap")
	var file strings.Builder
	var plain [][]byte
	for i := range sas {
		fmt.Fprintf(&file, "out peer=p%d spi=%d transform=aes128gcm16 key=%040x from=192.0.2.1 to=192.0.2.2 behind=10.%d.%d.%d/32\n",
			i, 1000+i, i, i>>16, i>>8&255, i&255)
		p := make([]byte, 60)
		copy(p, []byte{0x45, 0, 0, 60, 0, 0, 0, 0, 64, 253, 0, 0, 198, 18, 0, 1, 10, byte(i >> 16), byte(i >> 8), byte(i)})
		plain = append(plain, p)
	}
	flags := wire(pcapDevice(0, record(t, "in.pcap", plain...), "/dev/null"), pcapDevice(1, record(t, "empty.pcap"), out), write(t, "a.sa", []byte(file.String())))
	sum := onDPDK(t, gateway, flags...)
	sealed := packets(t, out)
	if len(sealed) != sas || sum.Out.Packets != sas {
		t.Fatalf("%d packets: %+v", len(sealed), sum.Out)
	}
	for i, p := range sealed {
		key := fmt.Appendf(nil, "%040x", i)
		if got := openESP(t, string(key), p[20:]); !bytes.Equal(got[:60], plain[i]) {
			t.Fatalf("SA %d: %x", i, got)
		}
	}
}

// openESP opens an ESP packet with Go's own AES-GCM (RFC 4106).
func openESP(t *testing.T, key string, esp []byte) []byte {
	t.Helper()
	var material []byte
	if _, err := fmt.Sscanf(key, "%x", &material); err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(material[:16])
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := aead.Open(nil, append(material[16:20:20], esp[8:16]...), esp[16:], esp[:8])
	if err != nil {
		t.Fatal(err)
	}
	return plain
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

// wireFor is wire without its end.
func wireFor(plain, protected, sa string) (flags []string) {
	all := wire(plain, protected, sa)
	for i := 0; i < len(all); i++ {
		if all[i] == "-quiet" {
			i++
			continue
		}
		flags = append(flags, all[i])
	}
	return flags
}

// TestFarSideOfDPDKIsKilled and comes back: the gateway goes on, and no buffer is lost.
func TestFarSideOfDPDKIsKilled(t *testing.T) {
	gateway, dir := dpdkBinary(t), t.TempDir()
	socket := filepath.Join(dir, "s")
	near := start(t, append([]string{gateway, "dpdk", "-json", "-await", "0s"}, wireFor(
		"net_pcap0,rx_pcap="+record(t, "in.pcap", short(packets(t, recorded))[:64]...)+",tx_pcap=/dev/null,infinite_rx=1",
		memifDevice("server", socket), write(t, "a.sa", []byte(wireOut)))...))
	near.await(`"msg":"serving"`)
	for round := range 2 {
		far := start(t, append([]string{gateway, "dpdk", "-json"}, wireFor(
			pcapDevice(0, record(t, "empty.pcap"), "/dev/null"), memifDevice("client", socket), write(t, "b.sa", []byte(wireIn)))...))
		near.awaitTimes(`"up":true`, round+2) // the capture's link is always up
		time.Sleep(200 * time.Millisecond)
		if err := far.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		near.awaitTimes(`"up":false`, round+1)
	}
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
