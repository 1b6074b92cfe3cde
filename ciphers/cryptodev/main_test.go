//go:build dpdk && cgo

package cryptodev

import (
	"fmt"
	"os"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
)

// TestMain starts DPDK for all tests, without the messages that each device makes.
func TestMain(m *testing.M) {
	if err := eal.Start([]string{"--no-huge", "-m", "512", "--log-level=*:alert"}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
