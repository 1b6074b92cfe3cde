package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/quic-go/quic-go"
	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// tap carries datagrams between a client and a server and writes them to a capture, as
// if the client had spoken with the server itself.
type tap struct {
	front *net.UDPConn
	back  *net.UDPConn
	mu    sync.Mutex
	pcap  *pcapgo.Writer
}

func newTap(t *testing.T, server net.Addr, capture io.Writer) *tap {
	t.Helper()
	front := listen(t)
	back, err := net.DialUDP("udp4", nil, server.(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { back.Close() })
	p := &tap{front: front, back: back, pcap: pcapgo.NewWriter(capture)}
	if err := p.pcap.WriteFileHeader(65536, layers.LinkTypeRaw); err != nil {
		t.Fatal(err)
	}
	client := make(chan *net.UDPAddr, 1)
	go func() {
		buf := make([]byte, 2048)
		for first := true; ; first = false {
			n, from, err := front.ReadFromUDP(buf)
			if err != nil {
				return
			}
			if first {
				client <- from
			}
			p.write(buf[:n], from, server.(*net.UDPAddr))
			_, _ = back.Write(buf[:n]) // the server may be gone
		}
	}()
	go func() {
		buf := make([]byte, 2048)
		to := <-client
		for {
			n, err := back.Read(buf)
			if err != nil {
				return
			}
			p.write(buf[:n], server.(*net.UDPAddr), to)
			_, _ = front.WriteToUDP(buf[:n], to) // the client may be gone
		}
	}()
	return p
}

func (p *tap) write(payload []byte, from, to *net.UDPAddr) {
	ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: from.IP.To4(), DstIP: to.IP.To4()}
	udp := &layers.UDP{SrcPort: layers.UDPPort(from.Port), DstPort: layers.UDPPort(to.Port)}
	_ = udp.SetNetworkLayerForChecksum(ip)
	b := gopacket.NewSerializeBuffer()
	_ = gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, ip, udp, gopacket.Payload(payload))
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(b.Bytes())
	_ = p.pcap.WritePacket(gopacket.CaptureInfo{Timestamp: time.Now(), CaptureLength: n, Length: n}, b.Bytes())
}

func listen(t *testing.T) *net.UDPConn {
	t.Helper()
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { udp.Close() })
	return udp
}

const fileSize = 600_000

// transfer sends a file through quic-go and returns the capture, the key log and the
// server's port.
func transfer(t *testing.T, version quic.Version, retry bool) (capture, keylog string, port int) {
	t.Helper()
	return transferTraced(t, &quic.Config{Versions: []quic.Version{version}}, retry)
}

// transferTraced does so by a configuration of both sides.
func transferTraced(t *testing.T, config *quic.Config, retry bool) (capture, keylog string, port int) {
	t.Helper()
	folder := t.TempDir()
	capture, keylog = filepath.Join(folder, "capture.pcap"), filepath.Join(folder, "keys")
	pcap, err := os.Create(capture)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := os.Create(keylog)
	if err != nil {
		t.Fatal(err)
	}
	udp := listen(t)
	transport := &quic.Transport{Conn: udp, VerifySourceAddress: func(net.Addr) bool { return retry }}
	defer transport.Close()
	config.DisablePathMTUDiscovery = true
	cert, _ := peertest.Certificate(t, "localhost")
	listener, err := transport.Listen(&tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"file"}}, config)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		serve(listener)
	}()
	p := newTap(t, udp.LocalAddr(), pcap)
	fetch(t, p.front.LocalAddr().String(), keys, config)
	<-served // the tap has passed on that the client closed
	p.mu.Lock()
	defer p.mu.Unlock() // for good: the file is closed
	if pcap.Close() != nil || keys.Close() != nil {
		t.Fatal("cannot write")
	}
	return capture, keylog, udp.LocalAddr().(*net.UDPAddr).Port
}

func serve(listener *quic.Listener) {
	conn, err := listener.Accept(context.Background())
	if err != nil {
		return
	}
	stream, err := conn.OpenStream()
	if err != nil {
		return
	}
	_, _ = stream.Write(bytes.Repeat([]byte("sixteen bytes..."), fileSize/16)) // the client counts
	_ = stream.Close()
	<-conn.Context().Done()
}

func fetch(t *testing.T, address string, keys io.Writer, config *quic.Config) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	conn, err := quic.DialAddr(ctx, address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"file"}, KeyLogWriter: keys}, config)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := conn.AcceptStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.Copy(io.Discard, stream); err != nil || got != fileSize {
		t.Fatalf("%d bytes, %v", got, err)
	}
	if err := conn.CloseWithError(0, ""); err != nil {
		t.Fatal(err)
	}
}

func quicdump(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

func dumped(t *testing.T, capture, keylog string) (all []packet) {
	t.Helper()
	code, stdout, stderr := quicdump("-json", "-keylog", keylog, capture)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	for line := range strings.Lines(stdout) {
		var p packet
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

func TestFileTransferOfQuicGo(t *testing.T) {
	for _, c := range []struct {
		version quic.Version
		retry   bool
	}{{quic.Version1, false}, {quic.Version2, false}, {quic.Version1, true}, {quic.Version2, true}} {
		t.Run(fmt.Sprintf("%v, retry %v", c.version, c.retry), func(t *testing.T) {
			capture, keylog, _ := transfer(t, c.version, c.retry)
			streams, phase, types := 0, uint64(0), map[string]int{}
			for _, p := range dumped(t, capture, keylog) {
				types[p.Type]++
				if p.Phase != nil {
					phase = max(phase, *p.Phase)
				}
				for _, f := range p.Frames {
					if f.Name == "STREAM" {
						streams = max(streams, int(f.Offset)+f.Length)
					}
				}
			}
			if streams != fileSize || phase == 0 || types["Initial"] == 0 || types["Handshake"] == 0 || (types["Retry"] > 0) != c.retry {
				t.Errorf("%d bytes, %d key updates, %v", streams, phase, types)
			}
		})
	}
}

// A datagram that is captured twice is printed twice, and is no failure.
func TestRepeatedDatagram(t *testing.T) {
	capture, keylog, _ := transfer(t, quic.Version1, false)
	first := dumped(t, capture, keylog)
	doubled := filepath.Join(t.TempDir(), "doubled.pcap")
	pcap, err := os.Create(doubled)
	if err != nil {
		t.Fatal(err)
	}
	w := pcapgo.NewWriter(pcap)
	if err := w.WriteFileHeader(65536, layers.LinkTypeRaw); err != nil {
		t.Fatal(err)
	}
	tap := &tap{pcap: w}
	err = eachDatagram(capture, func(d datagram) {
		for range 2 {
			tap.write(d.payload, net.UDPAddrFromAddrPort(d.from), net.UDPAddrFromAddrPort(d.to))
		}
	})
	if err != nil || pcap.Close() != nil {
		t.Fatal(err)
	}
	repeated := 0
	for _, p := range dumped(t, doubled, keylog) {
		if p.Repeated {
			repeated++
		}
	}
	if repeated < len(first) {
		t.Errorf("%d of %d packets repeated", repeated, len(first))
	}
}

func TestWithoutKeys(t *testing.T) {
	capture, _, _ := transfer(t, quic.Version1, false)
	code, stdout, stderr := quicdump(capture)
	if code != exitFailed || strings.Count(stderr, "\n") != 1 || !strings.Contains(stdout, "Initial 0 ") || !strings.Contains(stdout, "CRYPTO[0+") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(stdout, "NOT OPENED: no keys") || strings.Contains(stdout, "STREAM") {
		t.Error("packets without keys are not marked")
	}
}

// A secret that is cut to the length of another suite's is named by its line.
func TestSecretOfAnotherLength(t *testing.T) {
	capture, keylog, _ := transfer(t, quic.Version1, false)
	log, err := os.ReadFile(keylog)
	if err != nil {
		t.Fatal(err)
	}
	want, lines := "", strings.Split(strings.TrimSpace(string(log)), "\n")
	for i, line := range lines {
		fields := strings.Fields(line)
		if fields[0] != "SERVER_TRAFFIC_SECRET_0" {
			continue
		}
		other := strings.Repeat("00", 32)
		if len(fields[2]) == len(other) {
			other = strings.Repeat("00", 48)
		}
		lines[i] = strings.Join([]string{fields[0], fields[1], other}, " ")
		want = fmt.Sprintf("key log, line %d: ", i+1)
	}
	changed := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(changed, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := quicdump("-keylog", changed, capture)
	if code != exitFailed || want == "" || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 2 {
		t.Errorf("exit code %d, %q not in: %s", code, want, stderr)
	}
	if !strings.Contains(stdout, " Handshake ") || !strings.Contains(stdout, "NOT OPENED: no keys") {
		t.Error("what has other keys is not opened, or what has none is not marked")
	}
}

func TestText(t *testing.T) {
	capture, keylog, _ := transfer(t, quic.Version1, false)
	code, stdout, _ := quicdump("-keylog", keylog, capture)
	for _, want := range []string{" Handshake ", "1-RTT", "phase 1", "HANDSHAKE_DONE", "STREAM[1,0+", "ACK[", "CONNECTION_CLOSE[0x0]"} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, no %q", code, want)
		}
	}
}

func TestBadInput(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	empty := file("empty", "")
	for name, c := range map[string]struct {
		args []string
		code int
	}{
		"help":                {[]string{"-help"}, exitOK},
		"no capture":          {nil, exitUsage},
		"two captures":        {[]string{"a", "b"}, exitUsage},
		"unknown flag":        {[]string{"-nonsense", "a"}, exitUsage},
		"missing capture":     {[]string{filepath.Join(folder, "nothing")}, exitFailed},
		"empty capture":       {[]string{empty}, exitFailed},
		"no capture at all":   {[]string{file("text", "this is no capture, it is text")}, exitFailed},
		"missing key log":     {[]string{"-keylog", "/nowhere", empty}, exitFailed},
		"key log of two":      {[]string{"-keylog", file("two", "LABEL 00"), empty}, exitFailed},
		"key log not hex":     {[]string{"-keylog", file("hex", "LABEL "+strings.Repeat("00", 32)+" secret"), empty}, exitFailed},
		"key log, short name": {[]string{"-keylog", file("short", "LABEL 00 00"), empty}, exitFailed},
		"key log, cut":        {[]string{"-keylog", file("cut", "CLIENT_TRAFFIC_SECRET_0 "+strings.Repeat("00", 32)+" "+strings.Repeat("00", 31)), empty}, exitFailed},
		"key log, no secret":  {[]string{"-keylog", file("none", "SERVER_HANDSHAKE_TRAFFIC_SECRET "+strings.Repeat("00", 32)), empty}, exitFailed},
	} {
		code, _, stderr := quicdump(c.args...)
		if strings.HasPrefix(name, "key log") && !strings.Contains(stderr, "malformed line 1:") {
			t.Errorf("%s: %q does not name the line", name, stderr)
		}
		if code != c.code || stderr == "" || code == exitFailed && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d: %q", name, code, stderr)
		}
		if strings.Contains(stderr, "secret\"") {
			t.Errorf("%s: a secret in %q", name, stderr)
		}
	}
}

// Whatever stands in a capture, nothing panics.
func FuzzDatagrams(f *testing.F) {
	initial := append([]byte{0xc0, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0x40, 40}, make([]byte, 40)...)
	f.Add(initial, []byte{0x40, 1, 2, 3})
	f.Add(initial, initial)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		e, err := engineForFuzz()
		if err != nil {
			t.Fatal(err)
		}
		d := newDump(e, secrets{})
		a, b := addrPort("10.0.0.1:1"), addrPort("10.0.0.2:443")
		for _, payload := range [][]byte{first, second, first} {
			d.datagram(datagram{from: a, to: b, payload: payload})
			d.datagram(datagram{from: b, to: a, payload: payload})
		}
		d.giveUp()
		if err := write(io.Discard, d.packets, true); err != nil {
			t.Fatal(err)
		}
	})
}
