//go:build dpdk && cgo

package cryptodev

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// software are the devices that every DPDK has.
var software = []string{"crypto_aesni_gcm0", "crypto_aesni_mb0", "crypto_openssl0", "crypto_chacha20_poly1305"}

func mustOpen(t testing.TB, c Config) *Device {
	t.Helper()
	d, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func TestConformance(t *testing.T) {
	for _, device := range software {
		t.Run(device, func(t *testing.T) { cipherstest.TestBackend(t, mustOpen(t, Config{Device: device}).Backend()) })
	}
}
