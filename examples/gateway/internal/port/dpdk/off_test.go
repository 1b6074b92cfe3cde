//go:build !dpdk

package dpdk_test

import (
	"errors"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
)

// TestWithoutDPDK says how to build with it.
func TestWithoutDPDK(t *testing.T) {
	_, opened := dpdk.Open(dpdk.Config{Name: "net_null0"})
	_, port := dpdk.OpenPort("net_null0", 1500)
	_, pool := dpdk.NewPool(1, 1500)
	_, started := dpdk.Start(nil)
	_, thread := dpdk.Thread(0)
	for _, err := range []error{opened, port, pool, started, thread} {
		if !errors.Is(err, dpdk.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	}
}
