package offline_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/dtlsadapter"
)

// decrypted is what tshark finds inside the records, packet by packet.
func decrypted(t *testing.T, tunnelled, keyLog []byte) (packets [][]byte) {
	t.Helper()
	dir := t.TempDir()
	file, log := filepath.Join(dir, "tunnel.pcap"), filepath.Join(dir, "keys.log")
	if err := os.WriteFile(file, tunnelled, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, keyLog, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(peertest.Program(t, "tshark"), "-n", "-r", file, "-o", "tls.keylog_file:"+log, "-d", "dtls.port==4433,data",
		"-Y", "dtls.record.content_type==23", "-T", "fields", "-e", "data.data")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v: %s", err, complaints.String())
	}
	for line := range strings.Lines(string(out)) {
		packet, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			t.Fatalf("tshark printed %q", line)
		}
		packets = append(packets, packet)
	}
	return packets
}

// TestTsharkSeesTheOriginalPackets gives tshark the key log and compares what it
// decrypts. It cannot do ChaCha20-Poly1305 over DTLS 1.2: its nonce lacks the epoch.
func TestTsharkSeesTheOriginalPackets(t *testing.T) {
	peertest.Program(t, "tshark")
	for i, suite := range []dtls.CipherSuiteID{
		dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, dtls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM,
		dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8, dtls.TLS_PSK_WITH_AES_128_GCM_SHA256,
	} {
		t.Run(dtlsadapter.SuiteName(suite), func(t *testing.T) {
			file := recorded(t)
			if i > 0 {
				file = head(t, file, 500)
			}
			plain := frames(t, file)
			tunnelled, keyLog, _, err := protect(t, file, suite)
			if err != nil {
				t.Fatal(err)
			}
			got := decrypted(t, tunnelled, keyLog)
			if len(got) != len(plain) {
				t.Fatalf("tshark shows %d packets of %d", len(got), len(plain))
			}
			for i := range plain {
				if !bytes.Equal(got[i], plain[i].Packet()) {
					t.Fatalf("packet %d: tshark shows\n%x, want\n%x", i, got[i], plain[i].Packet())
				}
			}
		})
	}
}
