package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
)

const gcmKey = "000102030405060708090a0b0c0d0e0f10111213"

func TestDemonstrationOfESP(t *testing.T) {
	code, stdout, stderr := gateway(t, "-protocol", "esp", "-transform", "aes256gcm16", "-time", "0s", "-rounds=1")
	if code != 0 || !strings.Contains(stdout, "ESP in a tunnel, aes256gcm16") || !strings.Contains(stdout, "0 different, 0 missing") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
}

func TestESPCaptureThereAndBack(t *testing.T) {
	for _, how := range [][]string{nil, {"-natt"}, {"-transport", "-transform", "aes128-sha256"}, {"-transform", "null-md5", "-allow-legacy"}} {
		dir := t.TempDir()
		out, back, sas, ws := filepath.Join(dir, "out.pcap"), filepath.Join(dir, "back.pcap"), filepath.Join(dir, "sas"), filepath.Join(dir, "esp_sa")
		for _, args := range [][]string{
			append([]string{"protect", "-protocol", "esp", recorded, out, "-sa", sas, "-wireshark", ws}, how...),
			{"unprotect", "-protocol", "esp", "-sa", sas, out, back, "-allow-legacy"},
		} {
			if code, stdout, stderr := gateway(t, args...); code != 0 || stderr != "" || !strings.Contains(stdout, "3460 packets") {
				t.Fatalf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
			}
		}
		want, err := os.ReadFile(recorded)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(back); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: the capture that came back differs (%v)", how, err)
		}
		lines, err := os.ReadFile(ws)
		if err != nil {
			t.Fatal(err)
		}
		if _, stdout, _ := gateway(t, "sa", "-wireshark", sas); stdout != string(lines) {
			t.Errorf("sa -wireshark prints\n%s and protect wrote\n%s", stdout, lines)
		}
		if code, _, stderr := gateway(t, "serve", "-protocol", "esp", "-sa", sas); code != 1 || !strings.Contains(stderr, "have protected a capture") {
			t.Errorf("a gateway takes the keys of a capture: %s", stderr)
		}
	}
}

// TestGatewayBetweenCaptures runs two gateways one after the other: what the first makes of
// a capture, the second makes the capture of again.
func TestGatewayBetweenCaptures(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if code, stdout, stderr := gateway(t, "keygen", "-sa", dir, "-transform", "chacha20poly1305", "-ends", "192.0.2.1,192.0.2.2", "left", "right"); code != 0 || strings.Count(stdout, "wrote ") != 2 {
		t.Fatal(stdout, stderr)
	}
	for _, name := range []string{"left.sa", "right.sa"} { // everything is behind the other one
		content, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, narrow := range []string{"behind=10.99.0.2/32", "behind=10.99.0.0/24"} {
			content = bytes.ReplaceAll(content, []byte(narrow), []byte("behind=0.0.0.0/0,::/0"))
		}
		if err := os.WriteFile(at(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	empty := write(t, "empty.pcap", func() []byte { b, _ := os.ReadFile(recorded); return b[:24] }())
	for _, args := range [][]string{
		{"-sa", at("left.sa"), "-plain", "pcap:" + recorded + "," + at("none"), "-protected", "pcap:" + empty + "," + at("esp.pcap")},
		{"-sa", at("right.sa"), "-plain", "pcap:" + empty + "," + at("back.pcap"), "-protected", "pcap:" + at("esp.pcap") + "," + at("none")},
	} {
		code, stdout, stderr := gateway(t, append([]string{"serve", "-protocol", "esp", "-mtu", "1500"}, args...)...)
		if code != 0 || !strings.Contains(stdout, " 3460 packets, 1579996 bytes") {
			t.Fatalf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	if code, _, stderr := gateway(t, "unprotect", "-protocol", "esp", "-sa", at("left.sa"), at("esp.pcap"), at("again.pcap")); code != 0 {
		t.Error(stderr)
	}
	if a, b := packetsOf(t, at("back.pcap")), packetsOf(t, at("again.pcap")); len(a) != 3460 || strings.Join(a, "") != strings.Join(b, "") {
		t.Errorf("%d packets came back, and unprotect finds %d", len(a), len(b))
	}
	if a, b := packetsOf(t, at("back.pcap")), packetsOf(t, recorded); strings.Join(a, "") != strings.Join(b, "") {
		t.Error("what came back differs")
	}
}

func packetsOf(t *testing.T, path string) (all []string) {
	t.Helper()
	for _, p := range readIP(t, path) {
		all = append(all, string(p))
	}
	return all
}

// readIP are the IP packets of a capture, without padding behind them.
func readIP(t *testing.T, path string) (all [][]byte) {
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
		p := frame.Packet()
		size := int(binary.BigEndian.Uint16(p[2:]))
		if p[0]>>4 == 6 {
			size = 40 + int(binary.BigEndian.Uint16(p[4:]))
		}
		all = append(all, bytes.Clone(p[:size]))
	}
}

func TestSAFilesAreShownWithoutKeys(t *testing.T) {
	file := write(t, "sa", []byte("out peer=vpn spi=0x1000 transform=aes128gcm16 to=192.0.2.1 behind=10.0.0.0/8 key="+gcmKey))
	for _, args := range [][]string{{"sa", file}, {"sa", "-json", file}} {
		code, stdout, stderr := gateway(t, args...)
		if code != 0 || strings.Contains(stdout, gcmKey[4:12]) || !strings.Contains(stdout, "192.0.2.1") || !strings.Contains(stdout, "10.0.0.0/8") {
			t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// TestModesOfSAsAreShown, and what Wireshark cannot check is said beside its lines.
func TestModesOfSAsAreShown(t *testing.T) {
	file := write(t, "sa", []byte("out peer=a spi=0x1000 transform=aes128gcm16 esn=yes encap=udp key="+gcmKey+
		"\nout peer=b spi=0x1001 transform=aes128gcm16 mode=transport key="+strings.Repeat("7", len(gcmKey))))
	_, stdout, stderr := gateway(t, "sa", file)
	lines := strings.Split(stdout, "\n")
	for i, want := range []string{"mode encap esn", "tunnel udp yes", "transport none no"} {
		if i >= len(lines) || !strings.Contains(strings.Join(strings.Fields(lines[i]), " "), want) {
			t.Errorf("line %d lacks %q:\n%s%s", i, want, stdout, stderr)
		}
	}
	code, stdout, stderr := gateway(t, "sa", "-wireshark", file)
	if code != 0 || strings.Contains(stdout, "esn") || !strings.Contains(stderr, "esn=yes") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestBadInputOfESP gives one clear line on stderr and exit code 1.
func TestBadInputOfESP(t *testing.T) {
	dir := t.TempDir()
	out, absent, state := filepath.Join(dir, "out.pcap"), filepath.Join(dir, "absent", "x"), filepath.Join(dir, "state")
	line := "out spi=0x1000 transform=aes128gcm16 encap=udp behind=10.0.0.0/8 key=" + gcmKey
	file := write(t, "sa", []byte(line))
	legacy := write(t, "legacy", []byte("out spi=0x1000 transform=null-md5 encap=udp key="+strings.Repeat("ab", 16)))
	serve := func(args ...string) []string {
		return append([]string{"serve", "-protocol", "esp", "-listen", "127.0.0.1:0", "-plain", "udp:127.0.0.1:0,127.0.0.1:9"}, args...)
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"name an SA file with -sa", serve()},
		{"are for -protocol esp", []string{"serve", "-sa", file}},
		{"are for -protocol dtls", serve("-sa", file, "-psk", file)},
		{"name a file with -sa-state", serve("-sa-line", line)},
		{"no such file", serve("-sa", absent)},
		{"no such file", serve("-sa", file, "-sa-state", absent)},
		{"line 1: key: missing", serve("-sa", write(t, "cut", []byte("out spi=0x1000 transform=aes128gcm16")))},
		{"another SA of that direction", serve("-sa", file, "-sa-line", line)},
		{"key: another SA has it", serve("-sa", file, "-sa-line", strings.Replace(line, "out", "in", 1))},
		{"no security association", serve("-sa", write(t, "empty", nil))},
		{"not a file of sequence numbers", serve("-sa", file, "-sa-state", file)},
		{"null-md5 is there for old equipment: it needs -allow-legacy", serve("-sa", legacy)},
		{"it needs -allow-legacy", []string{"unprotect", "-protocol", "esp", "-sa", legacy, recorded, out}},
		{"it needs -allow-legacy", []string{"keygen", "-sa", dir, "-transform", "3des-md5", "alice", "bob"}},
		{"it needs -allow-legacy", []string{"-protocol", "esp", "-transform", "3des-md5"}},
		{"are for -sa", []string{"keygen", "-psk", out, "-transform", "aes256gcm16", "alice"}},
		{"are for -sa", []string{"keygen", "-dir", absent, "-mtu", "5", "alice"}},
		{"-mtu 5: must be", []string{"keygen", "-sa", dir, "-mtu", "5", "alice", "bob"}},
		{"are for -protocol esp", []string{"-transform", "aes256gcm16"}},
		{"are for -protocol esp", []string{"protect", recorded, out, "-transform", "aes256gcm16"}},
		{"SA 0x1000 has no to=, and ESP in IP needs", append(serve("-sa", write(t, "from", []byte(line+" from=192.0.2.1"))), "-protected", "pcap:"+recorded+","+out)},
		{"encap=udp", serve("-sa", write(t, "ip", []byte(strings.Replace(line, "encap=udp", "", 1))))},
		{"SA 0x1000 has no from= and to=, and ESP in IP needs the addresses of both gateways: make it with gateway keygen -sa DIR -ends", append(serve("-sa", file), "-protected", "pcap:"+recorded+","+out)},
		{"-protected: plain side \"bus:1\" is none of", append(serve("-sa", write(t, "tr", []byte(strings.Replace(line, "spi", "mode=transport spi", 1)))), "-protected", "bus:1")},
		{"MTU 9: must be", serve("-sa", file, "-mtu", "9")},
		{"needs an address", []string{"serve", "-protocol", "esp", "-sa", file}},
		{"cannot assign requested address", serve("-sa", file, "-listen", "192.0.2.77:1")},
		{"is for -protected udp", []string{"connect", "192.0.2.1", "-protocol", "esp", "-sa", file, "-protected", "afpacket:lo", "-plain", "udp:127.0.0.1:0,127.0.0.1:9"}},
		{"unable to parse IP", append(serve("-sa", write(t, "tr4", []byte(strings.Replace(line, "spi", "mode=transport spi", 1)))), "-protected", "ip:here")},
		{"not an IPv4 address", append(serve("-sa", write(t, "tr6", []byte(strings.Replace(line, "spi", "mode=transport spi", 1)))), "-protected", "ip:::1")},
		{"name the serving gateway", []string{"connect", "-psk", file}},
		{"two gateways or more", []string{"keygen", "-sa", dir, "alice"}},
		{"\"alice\" cannot be a gateway's name", []string{"keygen", "-sa", dir, "alice", "alice"}},
		{"cannot be a gateway's name", []string{"keygen", "-sa", dir, "alice", "bob the builder"}},
		{"1 addresses for 2", []string{"keygen", "-sa", dir, "-ends", "192.0.2.1", "alice", "bob"}},
		{"\"rot13\" is none", []string{"keygen", "-sa", dir, "-transform", "rot13", "alice", "bob"}},
		{"file exists", []string{"keygen", "-sa", filepath.Dir(write(t, "alice.sa", nil)), "alice", "bob"}},
		{"name the SA file to write", []string{"protect", "-protocol", "esp", recorded, out}},
		{"file exists", []string{"protect", "-protocol", "esp", recorded, out, "-sa", file}},
		{"needs -allow-legacy", []string{"protect", "-protocol", "esp", "-transform", "null-md5", recorded, out, "-sa", state + "1"}},
		{"does not decrypt chacha20poly1305", []string{"protect", "-protocol", "esp", "-transform", "chacha20poly1305", recorded, out, "-sa", state + "2", "-wireshark", state + "3"}},
		{"are for -protocol esp", []string{"protect", recorded, out, "-natt"}},
		{"are for -protocol dtls", []string{"protect", "-protocol", "esp", "-keylog", out, recorded, out}},
		{"name the SA file with -sa", []string{"unprotect", "-protocol", "esp", recorded, out}},
		{"holds no ESP", []string{"unprotect", "-protocol", "esp", "-sa", file, recorded, out}},
		{"-suite is for -protocol dtls", []string{"-protocol", "esp", "-suite", "TLS_PSK_WITH_AES_128_CCM"}},
		{"must be one of \"dtls\",\"esp\"", []string{"-protocol", "ah"}},
		{"line 1: begins with none", []string{"sa", write(t, "text", []byte("hello"))}},
	} {
		code, _, stderr := gateway(t, c.args...)
		if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "gateway: ") || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, stderr %q; want one line with %q", c.args, code, stderr, c.want)
		}
		if strings.Contains(stderr, gcmKey[4:12]) {
			t.Errorf("%q: the error tells the key", c.args)
		}
	}
	if _, err := os.Stat(state + "1"); err == nil {
		t.Error("a refused command wrote an SA file")
	}
}
