//go:build dpdk && cgo

package cryptodev

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"golang.org/x/sys/unix"
)

// mapped is memory that is not Go's.
func mapped(t testing.TB, n int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return b
}

// TestLanes runs the device kit over one algorithm of each kind that a device has.
func TestLanes(t *testing.T) {
	kinds := []ciphers.Algorithm{
		ciphers.AES128GCM, ciphers.AES256CCM, ciphers.ChaCha20Poly1305,
		ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA256), ciphers.EncryptThenMAC(ciphers.AES256CTR, ciphers.HMACSHA512),
	}
	for _, device := range software {
		d := mustOpen(t, Config{Device: device})
		for _, alg := range kinds {
			impl, ok := d.Backend().AEADs[alg].(ciphers.Asynchronous)
			if !ok {
				continue
			}
			t.Run(device+"/"+alg.String(), func(t *testing.T) { cipherstest.TestDevice(t, alg, impl, mapped) })
		}
	}
}
