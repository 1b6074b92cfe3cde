package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const recorded = "testdata/traffic.pcap"

// gateway runs the program and returns its exit code and what it printed.
func gateway(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, complaints bytes.Buffer
	code = run(ctx, args, &out, &complaints)
	return code, out.String(), complaints.String()
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestDemonstrationIsTheDefault(t *testing.T) {
	code, stdout, stderr := gateway(t, "-time", "0s", "-rounds=1")
	const stages = 8 // the handshake, the capture and six sizes
	if code != 0 || strings.Count(stderr, "\n") != stages || !strings.Contains(stdout, "0 different, 0 missing") || strings.Contains(stdout+stderr, "\r") {
		t.Errorf("exit code %d\n%s\n%s", code, stdout, stderr)
	}
}

func TestDemonstrationForMachines(t *testing.T) {
	code, stdout, stderr := gateway(t, "-json", "-time", "0s", "-rounds", "1")
	var report struct {
		Rows    []json.RawMessage
		Verdict struct{ Sent, Same uint64 }
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 0 || stderr != "" {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	if len(report.Rows) == 0 || report.Verdict.Sent == 0 || report.Verdict.Sent != report.Verdict.Same {
		t.Errorf("%s", stdout)
	}
}

func TestCaptureThereAndBack(t *testing.T) {
	dir := t.TempDir()
	out, back, keys := filepath.Join(dir, "out.pcap"), filepath.Join(dir, "back.pcap"), filepath.Join(dir, "keys")
	for _, args := range [][]string{
		{"protect", recorded, out, "-keylog", keys},
		{"unprotect", "--keylog=" + keys, out, back},
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
		t.Errorf("the capture that came back differs (%v)", err)
	}
	if info, err := os.Stat(keys); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the key log: %v, %v", info.Mode(), err)
	}
}

func TestTotalsOfCapturesForMachines(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.pcap")
	code, stdout, _ := gateway(t, "protect", "-json", recorded, out)
	var totals struct {
		Packets uint64
		Suite   string
	}
	if err := json.Unmarshal([]byte(stdout), &totals); err != nil || code != 0 || totals.Packets != 3460 || totals.Suite == "" {
		t.Errorf("exit code %d, %v: %s", code, err, stdout)
	}
}

// TestBadInput gives one clear line on stderr and exit code 1.
func TestBadInput(t *testing.T) {
	file, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	foreign := bytes.Clone(file[:24])
	foreign[20] = 105
	dir := t.TempDir()
	out, absent := filepath.Join(dir, "out.pcap"), filepath.Join(dir, "absent", "x")
	psk := write(t, "psk", []byte("a:"+strings.Repeat("ab", 16)))
	copied := write(t, "copied.pcap", file)
	empty, text := write(t, "empty.pcap", file[:24]), write(t, "text.pcap", []byte("hello"))
	lone := write(t, "sa", []byte("out spi=0x1000 mode=transport transform=aes128gcm16 key="+gcmKey))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"truncated after 873 frames", []string{"protect", write(t, "cut.pcap", file[:500_000]), out}},
		{"link type 105 (802.11) is not supported", []string{"protect", write(t, "wifi.pcap", foreign), out}},
		{"not a pcap or pcapng file", []string{"protect", text, out}},
		{"holds no IP packet", []string{"protect", empty, out}},
		{"no such file", []string{"protect", absent, out}},
		{"no such file", []string{"protect", recorded, absent}},
		{"no such file", []string{"protect", recorded, out, "-keylog", absent}},
		{"is both the capture to read and the one to write", []string{"protect", copied, copied}},
		{"not a pcap", []string{"unprotect", text, out, "-keylog", psk}},
		{"holds no DTLS records", []string{"unprotect", recorded, out, "-keylog", psk}},
		{"name the key log with -keylog", []string{"unprotect", recorded, out}},
		{"malformed line 1", []string{"unprotect", recorded, out, "-keylog", write(t, "log", []byte("CLIENT_RANDOM x y"))}},
		{"unknown cipher suite \"TLS_NULL\"; see gateway demo -help", []string{"-suite", "TLS_NULL"}},
		{"; see gateway protect -help", []string{"protect", recorded, out, "-suite", "TLS_NULL"}},
		{"; see gateway connect -help", []string{"connect", "localhost:1", "-psk", psk, "-suite", "TLS_NULL"}},
		{"suites of one kind", []string{"protect", recorded, out, "-suite", "TLS_PSK_WITH_AES_128_CCM,TLS_ECDHE_ECDSA_WITH_AES_128_CCM"}},
		{"-rounds must be at least 1", []string{"-rounds", "0"}},
		{"name either a certificate", []string{"serve"}},
		{"name either a certificate", []string{"connect", "localhost:4433"}},
		{"net_null0 is one device twice", []string{"dpdk", "-psk", psk, "-plain-device", "net_null0", "-protected-device", "net_null0,size=64"}},
		{"3b:00.0 is one device twice", []string{"dpdk", "-psk", psk, "-plain-device", "0000:3B:00.0", "-protected-device", "3b:00.0"}},
		{"needs the addresses of both gateways", []string{"dpdk", "-protocol", "esp", "-sa", lone, "-plain-device", "net_null0", "-protected-device", "net_null1"}},
		{"unknown identity", []string{"connect", "localhost:1", "-psk", psk, "-identity", "mallory"}},
		{"must be from 576 to 16384", []string{"serve", "-psk", psk, "-mtu", "100"}},
		{"must be the server's own address", []string{"serve", "-psk", psk, "-address", "10.1.0.0/16"}},
		{"cannot assign requested address", []string{"serve", "-psk", psk, "-listen", "192.0.2.77:1"}},
		{"cannot assign requested address", []string{"serve", "-psk", psk, "-metrics", "192.0.2.77:1"}},
		{"is none of tun:NAME", []string{"serve", "-psk", psk, "-listen", "127.0.0.1:0", "-plain", "bus:1"}},
		{"lacks the peer", []string{"serve", "-psk", psk, "-listen", "127.0.0.1:0", "-plain", "udp:127.0.0.1:1"}},
		{"lacks the capture to write", []string{"serve", "-psk", psk, "-listen", "127.0.0.1:0", "-plain", "pcap:x"}},
		{"no such network interface", []string{"serve", "-psk", psk, "-listen", "127.0.0.1:0", "-plain", "afpacket:no-such-face"}},
		{"name either a folder", []string{"keygen", "alice"}},
		{"cannot be a gateway's name", []string{"keygen", "-dir", dir, "../alice"}},
		{"cannot be a gateway's name", []string{"keygen", "-dir", absent, "alice", ""}},
		{"must not be empty", []string{"keygen", "-psk", out + ".psk", "alice", ""}},
		{"unknown command fly: it is none of demo, serve, connect, dpdk,", []string{"fly"}},
		{"unexpected argument fly", []string{"demo", "fly"}},
		{"unknown flag --fast", []string{"-fast"}},
	} {
		code, _, stderr := gateway(t, c.args...)
		if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "gateway: ") || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit code %d, stderr %q; want one line with %q", c.args, code, stderr, c.want)
		}
	}
}

// TestFailedConversionLeavesNothing behind that holds no packet.
func TestFailedConversionLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	out, keys, sa := filepath.Join(dir, "out.pcap"), filepath.Join(dir, "keys"), filepath.Join(dir, "sa")
	file, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	head := file[:24]
	legible := write(t, "sa", []byte("in spi=0x1000 transform=aes128gcm16 key="+gcmKey))
	for _, args := range [][]string{
		{"protect", filepath.Join(dir, "nope.pcap"), out, "-keylog", keys},
		{"protect", write(t, "text", []byte("hello")), out, "-keylog", keys},
		{"protect", write(t, "empty.pcap", head), out, "-keylog", keys},
		{"protect", recorded, filepath.Join(dir, "absent", "out"), "-keylog", keys},
		{"protect", filepath.Join(dir, "nope.pcap"), out, "-protocol", "esp", "-sa", sa},
		{"unprotect", recorded, out, "-protocol", "esp", "-sa", legible},
	} {
		if code, _, _ := gateway(t, args...); code != 1 {
			t.Errorf("%q: exit code %d", args, code)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Errorf("%q leaves %v, %v", args, left, err)
		}
	}
}

func TestProtectWithoutKeyLogWarns(t *testing.T) {
	code, _, stderr := gateway(t, "protect", recorded, filepath.Join(t.TempDir(), "out.pcap"))
	if code != 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "warning: without -keylog") {
		t.Errorf("exit code %d: %q", code, stderr)
	}
}

func TestServerWithoutPort(t *testing.T) {
	for in, want := range map[string]string{
		"192.0.2.1": "192.0.2.1:4433", "gate": "gate:4433", "gate:1": "gate:1", "2001:db8::1": "[2001:db8::1]:4433",
		"[2001:db8::1]": "[2001:db8::1]:4433", "[2001:db8::1]:9": "[2001:db8::1]:9",
	} {
		if got := withPort(in, defaultPort); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestVersion(t *testing.T) {
	code, stdout, stderr := gateway(t, "-version")
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, "gateway ") || !strings.HasSuffix(stdout, runtime.Version()+"\n") {
		t.Errorf("exit code %d: %q, %q", code, stdout, stderr)
	}
}

func TestTruncatedCaptureLeavesWhatWasWritten(t *testing.T) {
	file, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out, back, keys := filepath.Join(dir, "out.pcap"), filepath.Join(dir, "back.pcap"), filepath.Join(dir, "keys")
	if code, _, _ := gateway(t, "protect", write(t, "cut.pcap", file[:500_000]), out, "-keylog", keys); code != 1 {
		t.Errorf("exit code %d", code)
	}
	if code, stdout, stderr := gateway(t, "unprotect", out, back, "-keylog", keys); code != 0 {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if got, err := os.ReadFile(back); err != nil || !bytes.HasPrefix(file, got) || len(got) < 490_000 {
		t.Errorf("%d bytes came back, %v", len(got), err)
	}
}

func TestKeyLogIsAppendedTo(t *testing.T) {
	dir := t.TempDir()
	one, two, back := filepath.Join(dir, "one.pcap"), filepath.Join(dir, "two.pcap"), filepath.Join(dir, "back.pcap")
	keys := write(t, "keys", []byte("# kept\n"))
	for _, args := range [][]string{
		{"protect", recorded, one, "-keylog", keys},
		{"protect", recorded, two, "-keylog", keys},
		{"unprotect", one, back, "-keylog", keys},
		{"unprotect", two, back, "-keylog", keys},
	} {
		if code, stdout, stderr := gateway(t, args...); code != 0 {
			t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	if content, err := os.ReadFile(keys); err != nil || !strings.HasPrefix(string(content), "# kept\n") {
		t.Errorf("what the key log held before is gone (%v)", err)
	}
}

func TestFramesOfTheHandshakeAreNamed(t *testing.T) {
	dir := t.TempDir()
	out, back, keys := filepath.Join(dir, "out.pcap"), filepath.Join(dir, "back.pcap"), filepath.Join(dir, "keys")
	if code, _, stderr := gateway(t, "protect", recorded, out, "-keylog", keys); code != 0 {
		t.Fatal(stderr)
	}
	_, stdout, _ := gateway(t, "unprotect", out, back, "-keylog", keys)
	if !strings.Contains(stdout, " frames that set up and keep up the tunnel") || strings.Contains(stdout, "left out") {
		t.Errorf("%s", stdout)
	}
}

func TestKeygen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	code, stdout, stderr := gateway(t, "keygen", "-dir", dir, "gate.example", "alice")
	if code != 0 || strings.Count(stdout, "wrote ") != 6 {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	psk := filepath.Join(dir, "psk")
	if code, _, stderr := gateway(t, "keygen", "-psk", psk, "alice"); code != 0 {
		t.Error(stderr)
	}
	if content, err := os.ReadFile(psk); err != nil || !strings.HasPrefix(string(content), "alice:") {
		t.Error(err)
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	code, stdout, _ := gateway(t, "-help")
	for _, command := range []string{"demo", "serve", "connect", "protect", "unprotect", "keygen"} {
		if code != 0 || !strings.Contains(stdout, "\n  "+command+" ") {
			t.Errorf("exit code %d; help lacks %s:\n%s", code, command, stdout)
		}
	}
}

func TestOneDashIsAsGoodAsTwo(t *testing.T) {
	got := normalise([]string{"-json", "--metrics", ":1", "-h", "-", "-5", "-key=a-b", "x-y", "--", "-json"})
	want := "--json --metrics :1 -h - -5 --key=a-b x-y -- -json"
	if strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestErrorsAreOneLine(t *testing.T) {
	if got := oneLine(errorText("first\nsecond\n")); got != "first; second" {
		t.Errorf("%q", got)
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }
