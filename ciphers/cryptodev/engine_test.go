//go:build dpdk && cgo

package cryptodev_test

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/ciphers/cryptodev"
	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
	"github.com/sealburst/sealburst/engine"
	"golang.org/x/sys/unix"
)

// on is an engine that a device serves, as far as it can.
func on(t testing.TB, device string) (*engine.Engine, *cryptodev.Device) {
	t.Helper()
	d, err := cryptodev.Open(cryptodev.Config{Device: device})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Config{Available: append(builtin.Backends(), d.Backend()), Backend: d.Name(), IgnoreEnvironment: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, d
}

func keyOn(t testing.TB, e *engine.Engine, alg ciphers.Algorithm) *engine.Key {
	t.Helper()
	k, err := e.NewKey(engine.KeySpec{
		Algorithm: alg, Direction: ciphers.Sealing, Key: bytes.Repeat([]byte{7}, alg.KeySize()), Nonce: ciphers.NonceXOR, IV: make([]byte, 12),
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func burst(k *engine.Key, n, size int) []engine.Packet {
	ps := make([]engine.Packet, n)
	for i := range ps {
		ps[i] = engine.Packet{Buf: make([]byte, 13+size+16), Key: k, Number: uint64(i), AADLen: 13, Off: 13, Len: uint32(size)}
	}
	return ps
}

// TestEngineOnDevices: what an engine seals on a device, at once and through a queue,
// is what the portable backend makes, and the report says who did it.
func TestEngineOnDevices(t *testing.T) {
	portable, err := engine.New(engine.Config{Backend: "std", IgnoreEnvironment: true})
	if err != nil {
		t.Fatal(err)
	}
	defer portable.Close()
	want := burst(keyOn(t, portable, ciphers.AES128GCM), 64, 300)
	portable.Seal(want)
	for _, device := range []string{"crypto_aesni_gcm20", "crypto_aesni_mb20", "crypto_openssl20"} {
		t.Run(device, func(t *testing.T) {
			e, d := on(t, device)
			k := keyOn(t, e, ciphers.AES128GCM)
			now, later := burst(k, 64, 300), burst(k, 64, 300)
			e.Seal(now)
			throughQueue(t, e, later)
			for i := range want {
				if !bytes.Equal(now[i].Buf, want[i].Buf) || !bytes.Equal(later[i].Buf, want[i].Buf) {
					t.Errorf("packet %d: %x now, %x later, want %x", i, now[i].Buf, later[i].Buf, want[i].Buf)
				}
			}
			r := e.Report()
			if len(r.Devices) != 1 || r.Devices[0].Name != d.Name() || r.Devices[0].Copied < 128 || !strings.Contains(r.String(), "device "+device) {
				t.Errorf("%+v", r.Devices)
			}
		})
	}
}

func throughQueue(t *testing.T, e *engine.Engine, ps []engine.Packet) {
	t.Helper()
	q, err := e.NewQueue(engine.QueueConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if err := q.Submit(engine.Work{Op: engine.OpSeal, Packets: ps}); err != nil {
		t.Fatal(err)
	}
	var done [1]engine.Work
	for q.Poll(done[:]) == 0 {
	}
}

// TestOperatorPins: the environment names devices and pins one. A device that is none
// makes New fail, and say so, pinned or not.
func TestOperatorPins(t *testing.T) {
	if cryptodev.EnvDevices != engine.EnvDevices {
		t.Errorf("%s here, %s in the engine", cryptodev.EnvDevices, engine.EnvDevices)
	}
	t.Setenv(cryptodev.EnvDevices, "crypto_aesni_gcm21")
	t.Setenv(engine.EnvBackend, "crypto_aesni_gcm21")
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, a := range e.Report().Algorithms {
		if a.Algorithm == "aes-128-gcm" && (a.Backend != "crypto_aesni_gcm21" || a.Why != "pinned by SEALBURST_BACKEND") {
			t.Errorf("%+v", a)
		}
	}
	t.Setenv(cryptodev.EnvDevices, "crypto_aesni_gcm21 crypto_rubbish0")
	var none *eal.DeviceError
	var named *engine.NamedDeviceError
	if _, err := engine.New(engine.Config{}); !errors.As(err, &named) || !errors.As(err, &none) || named.Device != "crypto_rubbish0" {
		t.Errorf("a name of no device: %v", err)
	}
	t.Setenv(engine.EnvBackend, "crypto_rubbish0")
	if _, err := engine.New(engine.Config{}); !errors.Is(err, engine.ErrPin) || !errors.As(err, &none) || none.Device != "crypto_rubbish0" {
		t.Errorf("a pin to no device: %v", err)
	}
}

// BenchmarkDevices seals bursts of 32 on a device: what the engine adds to the
// driver's own time shows beside dpdk-test-crypto-perf.
func BenchmarkDevices(b *testing.B) {
	for _, device := range []string{"crypto_aesni_gcm30", "crypto_aesni_mb30"} {
		e, _ := on(b, device)
		k := keyOn(b, e, ciphers.AES128GCM)
		q, err := e.NewQueue(engine.QueueConfig{Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		for _, size := range []int{64, 256, 1450} {
			name := strings.TrimRight(device, "0123456789") + "/" + strconv.Itoa(size)
			b.Run(name+"/wait", func(b *testing.B) { benchmark(b, size, burst(k, 32, size), func(ps []engine.Packet) { e.Seal(ps) }) })
			b.Run(name+"/placed", func(b *testing.B) {
				benchmark(b, size, placed(b, burst(k, 32, size)), func(ps []engine.Packet) { e.Seal(ps) })
			})
			b.Run(name+"/queue", func(b *testing.B) {
				var done [1]engine.Work
				benchmark(b, size, burst(k, 32, size), func(ps []engine.Packet) {
					if err := q.Submit(engine.Work{Op: engine.OpSeal, Packets: ps}); err != nil {
						b.Fatal(err)
					}
					for q.Poll(done[:]) == 0 {
					}
				})
			})
		}
	}
}

// placed moves packets into memory that the device reaches.
func placed(b *testing.B, ps []engine.Packet) []engine.Packet {
	b.Helper()
	area, err := unix.Mmap(-1, 0, len(ps)*2048, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = unix.Munmap(area) })
	for i := range ps {
		at := area[2048*i:][:len(ps[i].Buf)]
		copy(at, ps[i].Buf)
		ps[i].Buf, ps[i].Memory = at, ciphers.MemoryPinned
	}
	return ps
}

func benchmark(b *testing.B, size int, ps []engine.Packet, seal func([]engine.Packet)) {
	b.SetBytes(int64(size * len(ps)))
	for b.Loop() {
		seal(ps)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ps)), "ns/packet")
}
