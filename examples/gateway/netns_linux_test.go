package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// need skips a test that lacks what it needs, and says what that is.
func need(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("network namespaces and TUN devices need root")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		t.Skip("this machine has no TUN devices: ", err)
	}
	for _, program := range programs {
		peertest.Program(t, program)
	}
}

// buildGateway builds the gateway.
func buildGateway(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gateway")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// hosts are two network namespaces that a cable joins: 192.0.2.1 and 192.0.2.2.
type hosts struct{ server, client string }

func newHosts(t *testing.T) hosts {
	t.Helper()
	h := hosts{fmt.Sprintf("sbgw-%d-server", os.Getpid()), fmt.Sprintf("sbgw-%d-client", os.Getpid())}
	for _, name := range []string{h.server, h.client} {
		if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
			t.Skipf("this machine makes no network namespaces: %s", bytes.TrimSpace(out))
		}
		t.Cleanup(func() { command(t, "ip", "netns", "delete", name) })
	}
	command(t, "ip", "-n", h.server, "link", "add", "wan", "type", "veth", "peer", "name", "wan", "netns", h.client)
	for i, name := range []string{h.server, h.client} {
		command(t, "ip", "-n", name, "address", "add", fmt.Sprintf("192.0.2.%d/24", i+1), "dev", "wan")
		command(t, "ip", "-n", name, "link", "set", "lo", "up")
		command(t, "ip", "-n", name, "link", "set", "wan", "up")
	}
	return h
}

// command runs a program and returns what it prints.
func command(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// in is a command line that runs in a namespace.
func in(namespace string, args ...string) []string {
	return append([]string{"ip", "netns", "exec", namespace}, args...)
}

// process is a program that runs beside the test.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdout printed
	stderr printed
	done   chan error
}

// printed is what a process has printed so far.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes what the process prints.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *process) log() string { return p.stderr.String() }

func start(t *testing.T, args []string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(args[0], args[1:]...), done: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// ended waits for the end of the process.
func (p *process) ended(t *testing.T) error {
	t.Helper()
	select {
	case err := <-p.done:
		return err
	case <-time.After(patience):
		t.Fatalf("%v does not end", p.cmd)
		return nil
	}
}

// patience is more than anything takes on the busiest machine.
const patience = time.Minute

// await waits until the process has logged something.
func (p *process) await(text string) { p.t.Helper(); p.awaitTimes(text, 1) }

// awaitTimes waits until the process has logged something so often.
func (p *process) awaitTimes(text string, times int) {
	p.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(25 * time.Millisecond) {
		if strings.Count(p.log(), text) >= times {
			return
		}
	}
	p.t.Fatalf("%v does not log %q %d times:\n%s", p.cmd, text, times, p.log())
}

// totals are what these tests look at of a gateway's totals.
type totals struct {
	Opened    uint64            `json:"sessions_opened"`
	Failed    uint64            `json:"handshakes_failed"`
	MeanBurst float64           `json:"mean_burst"`
	Drops     map[string]uint64 `json:"record_drops"`
	Out, In   struct{ Packets, Bytes uint64 }
}

// interrupt stops a gateway as an operator does, and reads its totals.
func (p *process) interrupt() (sum totals) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		p.t.Fatal(err)
	}
	select {
	case err := <-p.done:
		if err != nil {
			p.t.Errorf("%v: %v\n%s", p.cmd, err, p.log())
		}
	case <-time.After(patience):
		p.t.Fatalf("%v does not stop", p.cmd)
	}
	if err := json.Unmarshal([]byte(p.stdout.String()), &sum); err != nil {
		p.t.Errorf("%v printed %q: %v", p.cmd, p.stdout.String(), err)
	}
	return sum
}

// join starts both gateways and waits until they are joined.
func join(t *testing.T, gateway string, h hosts, server, client []string) (s, c *process) {
	t.Helper()
	s = start(t, in(h.server, append([]string{gateway, "serve", "-json"}, server...)...))
	s.await(`"msg":"serving"`)
	c = start(t, in(h.client, append([]string{gateway, "connect", "-json", "192.0.2.1:4433"}, client...)...))
	c.await(`"msg":"session opened"`)
	return s, c
}

// ping sends until ten are answered, which must be the first ten: on a busy machine an
// answer may take its time.
func ping(t *testing.T, h hosts, to string) {
	t.Helper()
	out := command(t, in(h.client, "ping", "-c", "10", "-i", "0.05", "-w", "60", to)...)
	for i := range 10 {
		if !strings.Contains(out, fmt.Sprintf("icmp_seq=%d ", i+1)) {
			t.Errorf("ping lost packets:\n%s", out)
			return
		}
	}
}

// iperf transfers over TCP for two seconds and returns how many bytes arrived.
func iperf(t *testing.T, h hosts, to string, options ...string) float64 {
	t.Helper()
	server := start(t, in(h.server, "iperf3", "--server", "--one-off", "--forceflush"))
	for range 200 {
		if strings.Contains(command(t, in(h.server, "ss", "-Hlnt", "sport = :5201")...), ":5201") {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	out := command(t, in(h.client, append([]string{"iperf3", "--json", "--time", "2", "--client", to}, options...)...)...)
	<-server.done
	var result struct {
		End struct {
			Received struct{ Bytes float64 } `json:"sum_received"`
		}
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatalf("iperf3: %v\n%s", err, out)
	}
	return result.End.Received.Bytes
}

func TestVPNBetweenTwoHosts(t *testing.T) {
	need(t, "ip", "ss", "ping", "iperf3")
	gateway, h, dir := buildGateway(t), newHosts(t), t.TempDir()
	command(t, gateway, "keygen", "-dir", dir, "192.0.2.1", "alice")
	flags := func(name string) []string {
		return []string{"-cert", filepath.Join(dir, name+".pem"), "-key", filepath.Join(dir, name+".key"), "-ca", filepath.Join(dir, "ca.pem")}
	}
	server, client := join(t, gateway, h, flags("192.0.2.1"), flags("alice"))
	ping(t, h, "10.99.0.1")
	up := iperf(t, h, "10.99.0.1")
	down := iperf(t, h, "10.99.0.1", "--reverse")
	ping(t, h, "10.99.0.1")

	c, s := client.interrupt(), server.interrupt()
	t.Logf("iperf3: %.2f and %.2f Gbit/s; mean burst at the client %.1f, at the server %.1f", up*4/1e9, down*4/1e9, c.MeanBurst, s.MeanBurst)
	if c.Opened != 1 || s.Opened != 1 || s.Failed != 0 {
		t.Errorf("the session was lost: client %+v, server %+v", c, s)
	}
	if c.MeanBurst < 8 || s.MeanBurst < 8 {
		t.Errorf("mean burst %.1f at the client and %.1f at the server, want 8", c.MeanBurst, s.MeanBurst)
	}
	if up == 0 || down == 0 || float64(s.In.Bytes) < up || float64(c.In.Bytes) < down {
		t.Errorf("%.0f and %.0f bytes arrived, not all through the tunnel: client %+v, server %+v", up, down, c, s)
	}
}

func TestVPNByPreSharedKeyOverIPv6(t *testing.T) {
	need(t, "ip", "ping")
	gateway, h, psk := buildGateway(t), newHosts(t), filepath.Join(t.TempDir(), "psk")
	command(t, gateway, "keygen", "-psk", psk, "alice", "bob")
	flags := []string{"-psk", psk, "-suite", "TLS_PSK_WITH_CHACHA20_POLY1305_SHA256"}
	server, client := join(t, gateway, h,
		append(flags, "-address", "fd00:99::1/64", "-mtu", "1280"), append(flags, "-identity", "bob", "-plain", "tun:inner"))
	ping(t, h, "fd00:99::1")
	if log := server.log(); !strings.Contains(log, "psk:bob") || !strings.Contains(log, "CHACHA20") {
		t.Errorf("the server's log:\n%s", log)
	}
	if link := command(t, "ip", "-n", h.client, "address", "show", "inner"); !strings.Contains(link, "mtu 1280") || !strings.Contains(link, "fd00:99::2/64") {
		t.Errorf("the client's device:\n%s", link)
	}
	if c, s := client.interrupt(), server.interrupt(); c.Out.Packets < 10 || s.Out.Packets < 10 {
		t.Errorf("client %+v, server %+v", c, s)
	}
}

func TestMissingPrivilegeIsNamed(t *testing.T) {
	need(t, "setpriv")
	gateway := buildGateway(t)
	for dir := filepath.Dir(gateway); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	psk := filepath.Join(filepath.Dir(gateway), "psk")
	if err := os.WriteFile(psk, []byte("a:"+strings.Repeat("ab", 16)), 0o644); err != nil {
		t.Fatal(err)
	}
	for plain, want := range map[string]string{"tun:sb%d": "CAP_NET_ADMIN", "afpacket:lo": "CAP_NET_RAW"} {
		cmd := exec.Command("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups",
			gateway, "serve", "-listen", "127.0.0.1:0", "-psk", psk, "-plain", plain)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		if err == nil || cmd.ProcessState.ExitCode() != 1 || strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: %v, stderr %q; want one line with %s", plain, err, stderr.String(), want)
		}
	}
}
