//go:build dpdk

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
)

// frames writes Ethernet frames as they are.
func frames(t *testing.T, name string, all ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	w, err := capture.Create(path, capture.Format{Link: capture.Ethernet, Snap: capture.MaxSnap})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range all {
		if err := w.Write(time.Unix(int64(i), 0), f); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// toGateway is a frame to a side of the gateway.
func toGateway(side byte, kind string, content []byte) []byte {
	return append([]byte{2, 0, 0, 0, side, 1, 2, 0, 0, 0, side, 2, kind[0], kind[1]}, content...)
}

const ofIPv4, ofIPv6, ofARP, ofLLDP, ofVLAN, ofLength = "\x08\x00", "\x86\xdd", "\x08\x06", "\x88\xcc", "\x81\x00", "\x00\x2e"

// plainIPv4 is a packet from 10.1.0.9 that was changed before its header was checked.
func plainIPv4(length int, change func(p []byte)) []byte {
	p := make([]byte, length)
	copy(p, []byte{0x45, 0, byte(length >> 8), byte(length), 0, 1, 0, 0, 64, 253, 0, 0, 10, 1, 0, 9, 10, 2, 0, 9})
	change(p)
	fixIPv4(p)
	return p
}

func asItIs([]byte) {}

// oddFrame is dropped for that cause, or goes on if there is none.
type oddFrame struct {
	cause string
	bytes []byte
}

// causes are how often each occurs.
func causes(all []oddFrame) (content [][]byte, drops map[string]uint64) {
	drops = map[string]uint64{}
	for _, f := range all {
		content = append(content, f.bytes)
		if f.cause != "" {
			drops[f.cause]++
		}
	}
	return content, drops
}

// tagged is what stands in a frame behind its addresses and the mark of a VLAN.
func tagged() []byte { return append([]byte{0, 7, 8, 0}, plainIPv4(60, asItIs)...) }

// oddPlainFrames come to the plain side, between two that are as they should be.
func oddPlainFrames() []oddFrame {
	good := toGateway(1, ofIPv4, plainIPv4(100, asItIs))
	wrong := plainIPv4(60, asItIs)
	wrong[11] ^= 1
	changed := func(change func(p []byte)) []byte { return toGateway(1, ofIPv4, plainIPv4(60, change)) }
	return []oddFrame{
		{"", good},
		{"truncated", good[:10]}, // a runt
		{"too-long", toGateway(1, ofIPv4, plainIPv4(9000, asItIs))}, // a jumbo frame, in a chain of buffers
		{"refused-type", toGateway(1, ofVLAN, tagged())},
		{"refused-type", toGateway(1, ofLLDP, tagged())},
		{"refused-type", toGateway(1, ofLength, tagged())},
		{"refused-type", toGateway(9, ofIPv4, plainIPv4(60, asItIs))}, // not for the gateway
		{"truncated", changed(asItIs)[:14+40]},
		{"truncated", toGateway(1, ofIPv6, []byte{0x60, 0, 0, 9})},
		{"truncated", toGateway(1, ofIPv4, []byte{0x45})},
		{"malformed", changed(func(p []byte) { p[0] = 0x43 })}, // a header of 12 bytes
		{"malformed", toGateway(1, ofIPv4, wrong)},             // its checksum
		{"malformed", toGateway(1, ofARP, make([]byte, 20))},
		{"expired", changed(func(p []byte) { p[8] = 1 })},
		{"fragment", changed(func(p []byte) { p[6], p[9] = 0x20, 1; copy(p[16:], []byte{10, 1, 0, 1}) })}, // of a ping to the gateway
		{"unknown-session", changed(func(p []byte) { p[16] = 99 })},                                       // to nobody's network
		{"", toGateway(1, ofIPv4, plainIPv4(100, func(p []byte) { p[6] = 0x20 }))},                        // a piece on its way
		{"", good},
	}
}

// oddESPFrames come to the protected side, and nobody sealed one.
func oddESPFrames() []oddFrame {
	esp := func(change func(p []byte)) []byte {
		return toGateway(2, ofIPv4, plainIPv4(100, func(p []byte) {
			p[9] = 50
			copy(p[12:], []byte{192, 0, 2, 2, 192, 0, 2, 1, 0, 0, 0x10, 2, 0, 0, 0, 1})
			change(p)
		}))
	}
	return []oddFrame{
		{"unauthentic", esp(asItIs)},
		{"unknown-session", esp(func(p []byte) { p[23]++ })}, // of no SA
		{"fragment", esp(func(p []byte) { p[6] = 0x20 })},
		{"refused-type", esp(func(p []byte) { p[9] = 6 })},       // TCP
		{"truncated", esp(func(p []byte) { p[3] = 30 })[:14+30]}, // no whole header of ESP
		{"refused-type", toGateway(2, ofVLAN, tagged())},
		{"truncated", toGateway(2, ofIPv4, nil)[:3]},
	}
}

// TestOddFramesOnDPDK are dropped by cause on either side, and the packets between them
// go through.
func TestOddFramesOnDPDK(t *testing.T) {
	const way = "02030405060708090a0b0c0d0e0f01020304 transform=aes128gcm16 behind=10.2.0.0/16 from="
	sa := write(t, "a.sa", []byte("out spi=0x1001 key=0001"+way+"192.0.2.1 to=192.0.2.2\nin spi=0x1002 key=0101"+way+"192.0.2.2 to=192.0.2.1\n"))
	toPlain, plainDrops := causes(oddPlainFrames())
	toProtected, protectedDrops := causes(oddESPFrames())
	in, protected := frames(t, "plain.pcap", toPlain...), frames(t, "protected.pcap", toProtected...)
	dir := t.TempDir()
	out := filepath.Join(dir, "out.pcap")
	sum := onDPDK(t, dpdkBinary(t), "-protocol", "esp", "-sa", sa, "-quiet", "700ms", "-steps",
		"-plain-device", pcapDevice(0, in, filepath.Join(dir, "answers.pcap")), "-plain-mac", "02:00:00:00:01:01", "-plain-address", "10.1.0.1/24",
		"-protected-device", pcapDevice(1, protected, out), "-protected-mac", "02:00:00:00:02:01", "-protected-address", "192.0.2.1/24",
		"-protected-peer", "02:00:00:00:02:02")
	if n := len(packets(t, out)); n != 3 {
		t.Errorf("%d packets left", n)
	}
	sum.Out.account(t, "plain", uint64(len(toPlain)), 3, plainDrops)
	sum.In.account(t, "protected", uint64(len(toProtected)), 0, protectedDrops)
}

// TestDPDKWithoutPrivilege gives one line that says so.
func TestDPDKWithoutPrivilege(t *testing.T) {
	need(t, "setpriv")
	dir := t.TempDir()
	for d := dir; len(d) > len(os.TempDir()); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	gateway, sa, nowhere := filepath.Join(dir, "gateway"), filepath.Join(dir, "a.sa"), filepath.Join(dir, "state")
	command(t, "cp", dpdkBinary(t), gateway)
	if err := os.WriteFile(sa, []byte(wireOut), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"net_tap0,iface=sbnope", "net_af_packet0,iface=lo"} {
		cmd := exec.Command("setpriv", append([]string{"--reuid", "65534", "--regid", "65534", "--clear-groups", gateway, "dpdk", "-log", "error", "-sa-state", nowhere},
			wire(device, "net_null0,no-rx=1", sa)...)...)
		cmd.Dir = "/"
		out, err := cmd.CombinedOutput()
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if last := lines[len(lines)-1]; err == nil || cmd.ProcessState.ExitCode() != 1 || !strings.HasPrefix(last, "gateway: ") ||
			!strings.Contains(last, device) || !strings.Contains(last, "may need privileges") {
			t.Errorf("%s: %v\n%s", device, err, out)
		}
	}
}

// TestDeviceOfDPDKVanishes in mid-flow: the gateway goes on with the other one, and ends
// with its totals and every buffer.
func TestDeviceOfDPDKVanishes(t *testing.T) {
	need(t, "ip", "ping", "ethtool")
	h := newDPDKHosts(t, "-psk", dpdkPSK(t))
	ping(t, h.hosts, "192.0.2.1")
	flow := start(t, in(h.client, "ping", "-q", "-i", "0.01", "192.0.2.1"))
	command(t, "ip", "-n", h.server, "link", "delete", "wan")
	_ = flow.cmd.Process.Kill()
	ping(t, hosts{client: h.plain}, "10.1.0.1")
	h.gateway.awaitTimes(`"up":false`, 1)
	h.gateway.interrupt()
}

// TestStepsOfACombinedAlgorithmOnDPDK have cipher and authenticator apart.
func TestStepsOfACombinedAlgorithmOnDPDK(t *testing.T) {
	sa := strings.Replace(wireOut, "aes128gcm16 key=000102030405060708090a0b0c0d0e0f01020304", "aes128-sha256 key="+strings.Repeat("5a", 16+32), 1)
	flags := wire(pcapDevice(0, record(t, "in.pcap", packets(t, recorded)[:200]...), "/dev/null"),
		pcapDevice(1, record(t, "empty.pcap"), filepath.Join(t.TempDir(), "out.pcap")), write(t, "a.sa", []byte(sa)))
	sum := onDPDK(t, dpdkBinary(t), append(flags, "-steps")...)
	seen := ""
	for _, s := range sum.Steps {
		seen += s.Way + " " + s.Step + ";"
		if apart := s.Step == "encrypt" || s.Step == "authenticate"; apart != (s.How != "") || s.NS <= 0 && !apart {
			t.Errorf("%+v", s)
		}
	}
	if seen != "out receive;out look-up;out number;out encrypt;out authenticate;out send;" {
		t.Errorf("steps: %s", seen)
	}
}

// TestDoctorWithDPDK tells of the version and of the devices that there are.
func TestDoctorWithDPDK(t *testing.T) {
	peertest.Program(t, "dpdk-testpmd") // comes with DPDK's own drivers
	var findings []struct{ Subject, State, Text string }
	if err := json.Unmarshal([]byte(command(t, dpdkBinary(t), "doctor", "-json")), &findings); err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range findings {
		text[f.Subject] = f.State + " " + f.Text + " "
	}
	for subject, want := range map[string]string{
		"DPDK": "ok DPDK 2", "DPDK's network devices": " net_memif ", "DPDK's crypto devices": " crypto_aesni_gcm ", "hugepages": " MiB are free",
	} {
		if !strings.Contains(text[subject], want) {
			t.Errorf("%s: %q, want %q", subject, text[subject], want)
		}
	}
}
