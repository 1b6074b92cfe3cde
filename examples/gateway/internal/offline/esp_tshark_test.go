package offline_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/examples/gateway/internal/offline"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// containedIn is what tshark finds inside ESP packets whose ICV it calls good.
func containedIn(t *testing.T, tunnelled []byte, sas *safile.File) (packets [][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "esp.pcap")
	if err := os.WriteFile(path, tunnelled, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-n", "-r", path, "-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE",
		"-T", "fields", "-e", "esp.icv_good", "-e", "esp.contained_data"}
	lines, err := sas.WiresharkBytes()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) {
		args = append(args, "-o", "uat:esp_sa:"+strings.TrimSpace(line))
	}
	cmd := exec.Command(peertest.Program(t, "tshark"), args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v: %s", err, complaints.String())
	}
	for line := range strings.Lines(string(out)) {
		good, data, _ := strings.Cut(strings.TrimSpace(line), "\t")
		packet, err := hex.DecodeString(data)
		if err != nil || good != "1" {
			t.Fatalf("packet %d: tshark printed %q", len(packets), line)
		}
		packets = append(packets, packet)
	}
	return packets
}

// TestTsharkSeesTheOriginalPacketsInESP gives tshark the lines of its esp_sa file, and
// compares what it decrypts: in a tunnel the packet, in transport mode its payload. All
// transforms go into one capture.
func TestTsharkSeesTheOriginalPacketsInESP(t *testing.T) {
	peertest.Program(t, "tshark")
	e, part := legacyEngine(t), head(t, recorded(t), 30)
	plain, all, sas := frames(t, part), part[:24:24], &safile.File{}
	var tried []offline.SAPlan
	for _, plan := range tsharkPlans() {
		made := freshSAs(t, plan)
		if _, err := made.WiresharkBytes(); err != nil {
			continue
		}
		tunnelled, _, err := protectESP(t, e, part, made)
		if err != nil {
			t.Fatal(err)
		}
		all, sas.SAs, tried = append(all, tunnelled[24:]...), append(sas.SAs, made.SAs...), append(tried, plan)
	}
	if len(tried) < 9+3 {
		t.Errorf("only %d ways were tried", len(tried))
	}
	got := containedIn(t, all, sas)
	if len(got) != len(plain)*len(tried) {
		t.Fatalf("tshark shows %d packets of %d", len(got), len(plain)*len(tried))
	}
	for i := range got {
		plan, want := tried[i/len(plain)], plain[i%len(plain)].Packet()
		if plan.Transport {
			want = want[headerSize(want):]
		}
		if !bytes.Equal(got[i], want) {
			t.Fatalf("%+v, packet %d: tshark shows\n%x, want\n%x", plan, i%len(plain), got[i], want)
		}
	}
}

// tsharkPlans are every transform in one way, and some in all.
func tsharkPlans() (all []offline.SAPlan) {
	for _, transform := range ipsecadapter.Transforms() {
		ways := plans(transform)
		if transform != ipsecadapter.AES128GCM16 && transform.String() != "aes128-sha256" {
			ways = ways[:1]
		}
		all = append(all, ways...)
	}
	return all
}

// headerSize is the length of a packet's IP header; the recorded ones have no extensions.
func headerSize(packet []byte) int {
	if packet[0]>>4 == 6 {
		return 40
	}
	return int(packet[0]&15) * 4
}
