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
