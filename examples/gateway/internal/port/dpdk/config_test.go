package dpdk

import (
	"strings"
	"testing"
)

// TestMemoryIsToldOf in a line that says why it lies where it does.
func TestMemoryIsToldOf(t *testing.T) {
	for _, c := range []struct {
		hugePages, asked bool
		free             int64
		want             string
	}{
		{true, false, 512 << 20, "memory is in hugepages"},
		{false, true, 512 << 20, "memory is in ordinary pages, as --no-huge says, "},
		{false, false, 0, "no hugepages are free: memory is in ordinary pages (--no-huge), "},
		{false, false, 32 << 20, "only 32 MiB of hugepages are free: memory is in ordinary pages (--no-huge), "},
	} {
		if got := memory(c.hugePages, c.asked, c.free); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestNamesOfPorts are those that DPDK gives them.
func TestNamesOfPorts(t *testing.T) {
	for device, want := range map[string]string{
		"net_tap0,iface=A:B": "net_tap0", "3b:00.0": "0000:3b:00.0", "0001:3B:0A.7,x=1": "0001:3b:0a.7",
	} {
		if got := portName(device); got != want {
			t.Errorf("%s is %s, want %s", device, got, want)
		}
	}
}
