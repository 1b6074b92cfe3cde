//go:build dpdk

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/dataplane"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
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
	Failed  uint64 `json:"handshakes_failed"`
	Shed    uint64 `json:"handshakes_shed"`
	Overrun uint64 `json:"datagrams_shed"`
	Out, In dpdkFlow
	Devices map[string]dpdk.Losses `json:"device_losses"`
	Workers []dataplane.Share
	Steps   []struct {
		Way, Step string
		NS        float64 `json:"ns_packet"`
		How       string
	}
}

type dpdkFlow struct {
	Packets, Bytes uint64
	Drops          map[string]uint64
}

// account checks that every packet which a device delivered was carried, or dropped for the
// cause that it should be.
func (f *dpdkFlow) account(t *testing.T, side string, delivered, carried uint64, drops map[string]uint64) {
	t.Helper()
	all := f.Packets
	for _, n := range f.Drops {
		all += n
	}
	if all != delivered || f.Packets != carried || !maps.Equal(f.Drops, drops) {
		t.Errorf("%s side: of %d packets %d are accounted for: %d carried and %v dropped, want %d and %v",
			side, delivered, all, f.Packets, f.Drops, carried, drops)
	}
}

// totalsOf stops a gateway and reads its totals.
func totalsOf(p *process) (sum dpdkTotalsRead) {
	p.t.Helper()
	p.interrupt()
	if err := json.Unmarshal([]byte(p.stdout.String()), &sum); err != nil {
		p.t.Error(err)
	}
	return sum
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

// wire are flags of a gateway that is as transparent as the pcap port, and ends when nothing
// comes any more.
func wire(plain, protected, sa string) []string {
	return append(wireFor(plain, protected, sa), "-quiet", "700ms")
}

// wireFor is wire without its end.
func wireFor(plain, protected, sa string) []string {
	return []string{
		"-protocol", "esp", "-sa", sa, "-transparent", "-plain-mtu", "9000", "-protected-mtu", protectedMTU(protected),
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
	var all [][]byte
	for _, p := range packets {
		frame := append([]byte("\x02\x00\x00\x00\x00\x09\x02\x00\x00\x00\x00\x08\x08\x00"), p...)
		if p[0]>>4 == 6 {
			frame[12], frame[13] = 0x86, 0xdd
		}
		all = append(all, frame)
	}
	return frames(t, name, all...)
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
