package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// secgw is what DPDK's ipsec-secgw calls a transform, and the crypto device that has it.
type secgw struct{ transform, words, device string }

// secgws are the transforms that both have. %[1]s is the key, with one byte more for CCM:
// ipsec-secgw keeps 4 bytes of salt and uses 3. A pair has its two keys apart.
var secgws = []secgw{
	{"aes128gcm16", "aead_algo aes-128-gcm aead_key %[1]s", "crypto_aesni_gcm0"},
	{"aes192gcm16", "aead_algo aes-192-gcm aead_key %[1]s", "crypto_aesni_gcm0"},
	{"aes256gcm16", "aead_algo aes-256-gcm aead_key %[1]s", "crypto_aesni_gcm0"},
	{"aes128ccm16", "aead_algo aes-128-ccm aead_key %[1]s:00", "crypto_aesni_mb0"},
	{"chacha20poly1305", "aead_algo chacha20-poly1305 aead_key %[1]s", "crypto_aesni_mb0"},
	{"aes128-sha1", "cipher_algo aes-128-cbc cipher_key %[1]s auth_algo sha1-hmac auth_key %[2]s", "crypto_aesni_mb0"},
	{"aes256-sha256", "cipher_algo aes-256-cbc cipher_key %[1]s auth_algo sha256-hmac auth_key %[2]s", "crypto_aesni_mb0"},
	{"aes192-sha384", "cipher_algo aes-192-cbc cipher_key %[1]s auth_algo sha384-hmac auth_key %[2]s", "crypto_aesni_mb0"},
	{"aes128-sha512", "cipher_algo aes-128-cbc cipher_key %[1]s auth_algo sha512-hmac auth_key %[2]s", "crypto_aesni_mb0"},
	{"aes128ctr-sha256", "cipher_algo aes-128-ctr cipher_key %[1]s auth_algo sha256-hmac auth_key %[2]s", "crypto_aesni_mb0"},
	{"3des-sha1", "cipher_algo 3des-cbc cipher_key %[1]s auth_algo sha1-hmac auth_key %[2]s", "crypto_aesni_mb0"},
}

// authSizes are the lengths of the keys of HMACs, which end the key material.
var authSizes = map[string]int{"sha1": 20, "sha256": 32, "sha384": 48, "sha512": 64}

// keys makes the key of a direction, in our words and in those of ipsec-secgw.
func (s *secgw) keys(size int, seed byte) (ours, theirs string) {
	key := make([]byte, size)
	for i := range key {
		key[i] = seed + byte(i)*7
	}
	_, auth, _ := strings.Cut(s.transform, "-")
	cipher := len(key) - authSizes[auth]
	theirs = fmt.Sprintf(s.words+"%.0[2]s", colons(key[:cipher]), colons(key[cipher:]))
	return hex.EncodeToString(key), theirs
}

func colons(key []byte) string {
	return strings.ReplaceAll(fmt.Sprintf("% x", key), " ", ":")
}

const secgwConfig = `sp ipv4 out esp protect 1005 pri 1 dst 10.2.0.0/24 sport 0:65535 dport 0:65535
sp ipv4 in esp protect 1105 pri 1 dst 10.1.0.0/24 sport 0:65535 dport 0:65535
sa out 1005 %s mode ipv4-tunnel src 192.0.2.1 dst 192.0.2.2
sa in 1105 %s mode ipv4-tunnel src 192.0.2.2 dst 192.0.2.1
rt ipv4 dst 192.0.2.2/32 port 1
rt ipv4 dst 10.1.0.0/24 port 0
neigh port 0 02:00:00:00:00:01
neigh port 1 02:00:00:00:00:02
`

// secgwPackets are UDP packets of many lengths between two hosts.
func secgwPackets(from, to byte) (all [][]byte) {
	for size := 29; size < 1400; size += 1 + size/40 {
		p := make([]byte, size)
		for i := range p {
			p[i] = byte(i + size)
		}
		copy(p, []byte{0x45, 0, byte(size >> 8), byte(size), 0, byte(len(all)), 0, 0, 64, 17, 0, 0, 10, from, 0, 1, 10, to, 0, 1})
		copy(p[20:], []byte{4, 0, 8, 0, byte((size - 20) >> 8), byte(size - 20), 0, 0})
		var sum uint32
		for i := 0; i < 20; i += 2 {
			sum += uint32(binary.BigEndian.Uint16(p[i:]))
		}
		binary.BigEndian.PutUint16(p[10:], ^uint16(sum>>16+sum))
		all = append(all, p)
	}
	return all
}

var ethernetHeader = []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0}

// writeEthernet makes a capture of IP packets.
func writeEthernet(t *testing.T, path string, packets [][]byte) {
	t.Helper()
	w, err := capture.Create(path, capture.Format{Link: capture.Ethernet, Snap: capture.MaxSnap})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packets {
		if err := w.Write(time.Unix(1, 0), append(bytes.Clone(ethernetHeader), p...)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// secgwRun runs ipsec-secgw until it has forwarded so many packets.
func secgwRun(t *testing.T, program, dir, device string, packets int) {
	t.Helper()
	at := func(name string) string { return filepath.Join(dir, name) }
	p := start(t, []string{"stdbuf", "-oL", program, "--no-huge", "-m", "512", "--no-pci", "--no-telemetry", "--file-prefix", fmt.Sprintf("sealburst%d", os.Getpid()), "-l", "0",
		"--vdev=net_pcap0,rx_pcap=" + at("plain.pcap") + ",tx_pcap=" + at("opened.pcap"),
		"--vdev=net_pcap1,rx_pcap=" + at("ours.pcap") + ",tx_pcap=" + at("theirs.pcap"), "--vdev=" + device,
		"--", "-p", "0x3", "-P", "-u", "0x2", "-l", "--rxoffload", "0x0", "--txoffload", "0x0", "-s", "8192", "-t", "1",
		"--config=(0,0,0),(1,0,0)", "-f", at("secgw.cfg")})
	done := false
	for range 400 {
		if len(p.done) > 0 {
			break
		}
		if done = took(p.stdout.String(), packets); done {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	_ = p.cmd.Process.Signal(syscall.SIGINT)
	_ = p.ended(t)
	if !done {
		t.Fatalf("ipsec-secgw did not take %d packets:\n%s\n%s", packets, p.stdout.String(), p.log())
	}
}

// took reports whether ipsec-secgw has printed that it received so many packets.
func took(text string, packets int) bool {
	for line := range strings.Lines(text) {
		if count, ok := strings.CutPrefix(line, "Total packets received:"); ok && strings.TrimSpace(count) == fmt.Sprint(packets) {
			return true
		}
	}
	return false
}

// TestPeerSecgw protects packets with ipsec-secgw and opens them with the gateway, and the
// other way round, from capture to capture.
func TestPeerSecgw(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 20 seconds")
	}
	peertest.Program(t, "stdbuf")
	program := builtSecgw(t)
	for _, s := range secgws {
		t.Run(s.transform, func(t *testing.T) {
			transform, err := ipsecadapter.ParseTransform(s.transform)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			at := func(name string) string { return filepath.Join(dir, name) }
			theirKey, theirs := s.keys(transform.KeySize(), 0x21)
			ourKey, ours := s.keys(transform.KeySize(), 0x9b)
			files := map[string]string{
				"secgw.cfg": fmt.Sprintf(secgwConfig, theirs, ours),
				"gateway.sa": fmt.Sprintf("out spi=1105 transform=%[1]s key=%[2]s from=192.0.2.2 to=192.0.2.1 behind=10.1.0.0/24\n"+
					"in spi=1005 transform=%[1]s key=%[3]s from=192.0.2.1 to=192.0.2.2 behind=10.1.0.0/24\n", s.transform, ourKey, theirKey),
			}
			for name, content := range files {
				if err := os.WriteFile(at(name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			there, back := secgwPackets(1, 2), secgwPackets(2, 1)
			writeEthernet(t, at("plain.pcap"), there)
			writeEthernet(t, at("back.pcap"), back)
			writeEthernet(t, at("none.pcap"), nil)
			carry := func(plain, protected string) {
				t.Helper()
				code, _, stderr := gateway(t, "serve", "-protocol", "esp", "-allow-legacy", "-sa", at("gateway.sa"),
					"-plain", "pcap:"+plain, "-protected", "pcap:"+protected)
				if code != 0 {
					t.Fatal(stderr)
				}
			}
			carry(at("back.pcap")+","+at("nothing"), at("none.pcap")+","+at("ours.raw"))
			writeEthernet(t, at("ours.pcap"), readIP(t, at("ours.raw")))
			secgwRun(t, program, dir, s.device, len(there)+len(back))
			carry(at("none.pcap")+","+at("received.pcap"), at("theirs.pcap")+","+at("nothing"))
			compare(t, "ipsec-secgw opens", readIP(t, at("opened.pcap")), back)
			compare(t, "the gateway opens", readIP(t, at("received.pcap")), there)
		})
	}
}

func compare(t *testing.T, what string, got, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s %d packets, want %d", what, len(got), len(want))
		return
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("%s packet %d as\n% x, want\n% x", what, i, got[i], want[i])
		}
	}
}

// builtSecgw finds the program that testdata/secgw.sh builds.
func builtSecgw(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("testdata/secgw.sh", "-built").Output()
	if err != nil {
		peertest.Missing(t, "ipsec-secgw is not built; testdata/secgw.sh does it")
	}
	return strings.TrimSpace(string(out))
}
