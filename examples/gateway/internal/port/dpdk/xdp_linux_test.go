//go:build dpdk

package dpdk_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/record"
)

// veth makes two network devices, each of which receives what the other one sends.
func veth(t *testing.T) (a, b string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("network devices need root")
	}
	a, b = fmt.Sprintf("sbx%da", os.Getpid()), fmt.Sprintf("sbx%db", os.Getpid())
	if out, err := exec.Command("ip", "link", "add", a, "type", "veth", "peer", "name", b).CombinedOutput(); err != nil {
		t.Skipf("this machine makes no pairs of network devices: %s", bytes.TrimSpace(out))
	}
	t.Cleanup(func() { _ = exec.Command("ip", "link", "delete", a).Run() })
	for _, name := range []string{a, b} {
		if out, err := exec.Command("ip", "link", "set", name, "up").CombinedOutput(); err != nil {
			t.Fatalf("%s", out)
		}
	}
	return a, b
}

// TestFramesOfXDP begin where net_af_xdp says, which is not where other buffers do.
func TestFramesOfXDP(t *testing.T) {
	near, far := veth(t)
	started(t)
	name := "net_af_xdp0,iface=" + near
	pool, err := dpdk.NewPool(16384, mtu, name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close) // what the driver gave to the system it does not give back
	receiver, err := dpdk.Open(dpdk.Config{Name: name, Pool: pool, MTU: mtu})
	if err != nil {
		t.Skip("this machine has no AF_XDP: ", err)
	}
	t.Cleanup(func() { _ = receiver.Close() })
	sender := open(t, dpdk.Config{Name: "net_af_packet7,iface=" + far, Pool: pool, MTU: mtu}).Queue(0)
	var burst ethernet.Burst
	fill(t, sender, &burst, 0, 64, 100)
	sender.Send(&burst)
	left := map[string]bool{}
	for i := range 64 {
		left[string(frame(i, 100))] = true
	}
	for end := time.Now().Add(time.Minute); len(left) != 0; { // the system's own frames come too
		collect(t, receiver.Queue(0), 1, func(d *record.Datagram) { delete(left, string(d.Content())) })
		if time.Now().After(end) {
			t.Fatalf("%d of 64 frames did not come as they were sent", len(left))
		}
	}
}

// TestPoolForXDP is made for it.
func TestPoolForXDP(t *testing.T) {
	near, _ := veth(t)
	_, err := dpdk.Open(dpdk.Config{Name: "net_af_xdp1,iface=" + near, Pool: newPool(t, 4096, mtu), MTU: mtu})
	if err == nil || !strings.Contains(err.Error(), "pool") {
		t.Errorf("frames would begin elsewhere: %v", err)
	}
}
