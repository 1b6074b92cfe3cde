//go:build dpdk && cgo

package cryptodev

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cipherstest"
	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
)

func TestOpenRefuses(t *testing.T) {
	for field, c := range map[string]Config{
		"Device": {}, "QueuePairs": {Device: "crypto_null0", QueuePairs: -1}, "InFlight": {Device: "crypto_null0", InFlight: 257},
	} {
		var f *ciphers.FieldError
		if _, err := Open(c); !errors.As(err, &f) || f.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	for range 2 {
		if _, err := Open(Config{Device: "crypto_null7"}); !errors.Is(err, ErrNoAlgorithm) || !strings.Contains(err.Error(), "crypto_null7") {
			t.Errorf("a device without algorithms: %v", err)
		}
	}
	for _, device := range []string{"crypto_nonsense0", "0000:7f:00.0", "net_null0"} {
		var e *eal.DeviceError
		if _, err := Open(Config{Device: device}); !errors.As(err, &e) || e.Device != device || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", device, err)
		}
	}
	d := mustOpen(t, Config{Device: "crypto_aesni_gcm3"})
	if _, err := Open(Config{Device: "crypto_aesni_gcm3"}); !errors.Is(err, ErrOpen) {
		t.Errorf("twice: %v", err)
	}
	if tr := d.Traits(); tr.Name != "crypto_aesni_gcm3" || !slices.Contains(tr.InPlace, ciphers.MemoryPinned) || tr.Lanes != 8 {
		t.Errorf("%+v", tr)
	}
}

// specOf is a key with a nonce of 12 bytes.
func specOf(alg ciphers.Algorithm, d ciphers.Direction) ciphers.KeySpec {
	return ciphers.KeySpec{
		Algorithm: alg, Direction: d, Key: bytes.Repeat([]byte{0xA5}, alg.KeySize()), Nonce: ciphers.NonceXOR, IV: make([]byte, 12),
	}
}

func mustKey(t testing.TB, d *Device, spec ciphers.KeySpec) *ciphers.Key {
	t.Helper()
	k, err := ciphers.NewKey(&spec, &ciphers.Plan{Bulk: d.Backend().AEADs[spec.Algorithm]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// packets are n of 64 bytes with as many associated data.
func packets(k *ciphers.Key, n, aad int) []ciphers.Packet {
	ps := make([]ciphers.Packet, n)
	for i := range ps {
		ps[i] = ciphers.Packet{Buf: make([]byte, 64+16), Key: k, Number: uint64(i), Len: 64, Prefix: make([]byte, aad)}
	}
	return ps
}

func TestCloseWantsKeysAndLanesClosed(t *testing.T) {
	d := mustOpen(t, Config{Device: "crypto_aesni_mb3"})
	spec := specOf(ciphers.AES128GCM, ciphers.Sealing)
	k, err := ciphers.NewKey(&spec, &ciphers.Plan{Bulk: d.Backend().AEADs[spec.Algorithm]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); !errors.Is(err, ErrBusy) {
		t.Errorf("with a key: %v", err)
	}
	k.Close()
	lane, err := d.OpenLane()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); !errors.Is(err, ErrBusy) {
		t.Errorf("with a lane: %v", err)
	}
	lane.Close()
	for range 2 {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := d.Backend().Probe(); !errors.Is(err, ErrDown) {
		t.Errorf("closed: %v", err)
	}
	if _, err := d.OpenLane(); !errors.Is(err, ErrDown) {
		t.Errorf("a lane of a closed device: %v", err)
	}
	mustOpen(t, Config{Device: "crypto_aesni_mb3"}) // again
}

// TestKeysAreZeroed looks at the memory of a key and of its sessions, which DPDK keeps
// mapped, before and after Close.
func TestKeysAreZeroed(t *testing.T) {
	for _, device := range []string{"crypto_aesni_gcm4", "crypto_openssl4"} {
		t.Run(device, func(t *testing.T) {
			d := mustOpen(t, Config{Device: device})
			k := mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Sealing))
			ps := packets(k, 4, 13)
			cipherstest.Run{}.Seal(k.Plan().Bulk, ps)
			session := k.State(ciphers.SlotBulk).Object.(*key).session()
			if slices.Max(session) == 0 {
				t.Fatal("the session is zero while the key is open")
			}
			k.Close()
			if i := slices.IndexFunc(session, func(b byte) bool { return b != 0 }); i >= 0 {
				t.Errorf("byte %d of the session outlives Close", i)
			}
			if n := d.keys.Load(); n != 0 {
				t.Errorf("%d keys are open", n)
			}
		})
	}
}

// TestManyAADLengths: more lengths of associated data than a key keeps sessions for,
// and as many sessions afterwards as before.
func TestManyAADLengths(t *testing.T) {
	d := mustOpen(t, Config{Device: "crypto_aesni_gcm5"})
	k, open := mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Sealing)), mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Opening))
	for range 3 {
		var ps []ciphers.Packet
		for n := range 100 {
			p := packets(k, 1, n)[0]
			p.Number = uint64(n)
			ps = append(ps, p)
		}
		if n := (cipherstest.Run{}).Seal(k.Plan().Bulk, ps); n != 100 {
			t.Fatalf("sealed %d", n)
		}
		for i := range ps {
			ps[i].Key, ps[i].Len = open, 80
		}
		if n := (cipherstest.Run{}).Open(k.Plan().Bulk, ps); n != 100 {
			t.Fatalf("opened %d", n)
		}
		if n := d.sessions(); n != 16 {
			t.Errorf("%d sessions are in use, want 8 a key", n)
		}
	}
}

func TestManyKeys(t *testing.T) {
	d := mustOpen(t, Config{Device: "crypto_aesni_gcm6"})
	const n = 3000 // more than the first pool of sessions has
	var all []*ciphers.Key
	for range n {
		all = append(all, mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Sealing)))
	}
	for _, k := range all {
		if (cipherstest.Run{}).Seal(k.Plan().Bulk, packets(k, 1, 13)) != 1 {
			t.Fatal("a key does not seal")
		}
	}
	if used := d.sessions(); used != n {
		t.Errorf("%d sessions are in use, want %d", used, n)
	}
	for _, k := range all {
		k.Close()
	}
	if used := d.sessions(); used != 0 {
		t.Errorf("%d sessions outlive their keys", used)
	}
}

func TestCopiesAreCounted(t *testing.T) {
	d := mustOpen(t, Config{Device: "crypto_aesni_gcm7"})
	k := mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Sealing))
	ps := packets(k, 32, 13)
	area := mapped(t, 80*10)
	for i := range 10 {
		ps[i].Buf, ps[i].Memory = area[80*i:][:80:80], ciphers.MemoryPinned
	}
	cipherstest.Run{}.Seal(k.Plan().Bulk, ps)
	if st := d.Stats(); st.Placed != 10 || st.Copied != 22 || st.CopiedBytes != 22*64 || st.Failed != 0 {
		t.Errorf("%+v", st)
	}
	plain := packets(k, 32, 13)
	cipherstest.Run{}.Seal(k.Plan().Bulk, plain)
	for i := range ps {
		if !bytes.Equal(ps[i].Buf, plain[i].Buf) {
			t.Errorf("packet %d differs by where it lay", i)
		}
	}
}

// TestDeviceThatStops stops a device that is in use. What it had, and what comes
// later, fails; its lane gives everything back; keys and device close.
func TestDeviceThatStops(t *testing.T) {
	d := mustOpen(t, Config{Device: "crypto_openssl8"})
	k := mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Sealing))
	lane, err := d.OpenLane()
	if err != nil {
		t.Fatal(err)
	}
	d.stop()
	ps := packets(k, 5, 13)
	ciphers.SealBorder(ps)
	if !lane.Submit(ciphers.Burst{Packets: ps, Index: ciphers.Identity(5)}, ciphers.Sealing, 7) {
		t.Fatal("a lane that is empty is full")
	}
	if token := pollOne(t, lane); token != 7 || ps[0].Status != ciphers.StatusBackend || ps[4].Status != ciphers.StatusBackend {
		t.Errorf("token %d, status %v", token, ps[0].Status)
	}
	if !lane.Submit(ciphers.Burst{Packets: ps, Index: ciphers.Identity(5)}, ciphers.Sealing, 8) || pollOne(t, lane) != 8 {
		t.Error("a burst behind that did not come back")
	}
	if n := (cipherstest.Run{}).Seal(k.Plan().Bulk, ps); n != 0 || ps[2].Status != ciphers.StatusBackend {
		t.Errorf("sealed %d, status %v", n, ps[2].Status)
	}
	if st := d.Stats(); st.Failed != 15 || st.Fault == "" || !st.Down {
		t.Errorf("%+v", st)
	}
	if err := d.Backend().Probe(); !errors.Is(err, ErrDown) {
		t.Errorf("probe: %v", err)
	}
	lane.Close()
}

// TestOpeningOnADeviceThatStops: what a device keeps that was to open packets where
// they lay is zero.
func TestOpeningOnADeviceThatStops(t *testing.T) {
	d := mustOpen(t, Config{Device: "crypto_openssl11"})
	k := mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Opening))
	lane, err := d.OpenLane()
	if err != nil {
		t.Fatal(err)
	}
	d.stop()
	ps := packets(k, 3, 13)
	area := mapped(t, 80*3)
	for i := range ps {
		ps[i].Buf, ps[i].Memory, ps[i].Len = area[80*i:][:80:80], ciphers.MemoryPinned, 80
	}
	copy(area, bytes.Repeat([]byte{0xA5}, len(area)))
	ciphers.OpenBorder(ps)
	if !lane.Submit(ciphers.Burst{Packets: ps, Index: ciphers.Identity(3)}, ciphers.Opening, 7) || pollOne(t, lane) != 7 {
		t.Error("the burst did not come back")
	}
	for i := range ps {
		if ps[i].Status != ciphers.StatusBackend || slices.Max(ps[i].Buf[:64]) != 0 {
			t.Errorf("packet %d: status %v, %x", i, ps[i].Status, ps[i].Buf[:64])
		}
	}
	lane.Close()
}

// TestWaitingForADeviceThatStops is the same for those who wait.
func TestWaitingForADeviceThatStops(t *testing.T) {
	d := mustOpen(t, Config{Device: "crypto_openssl9", QueuePairs: 2})
	k := mustKey(t, d, specOf(ciphers.AES128GCM, ciphers.Sealing))
	d.stop()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if n := (cipherstest.Run{}).Seal(k.Plan().Bulk, packets(k, 3, 13)); n != 0 {
				t.Errorf("sealed %d", n)
			}
		})
	}
	wg.Wait()
	if st := d.Stats(); st.Failed != 12 || !st.Down {
		t.Errorf("%+v", st)
	}
}

func pollOne(t *testing.T, lane ciphers.Lane) uint64 {
	t.Helper()
	var done [1]uint64
	for end := time.Now().Add(20 * time.Second); lane.Poll(done[:]) == 0; {
		if time.Now().After(end) {
			t.Fatal("the lane keeps a burst")
		}
		time.Sleep(time.Millisecond)
	}
	return done[0]
}

// TestNamed runs in processes of its own, with variables of their own.
func TestNamed(t *testing.T) {
	for mark, devices := range map[string]string{"good": "crypto_aesni_gcm0 crypto_openssl0,max_nb_queue_pairs=2 crypto_aesni_gcm0", "bad": "crypto_nonsense0"} {
		t.Run(mark, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run", "^TestNamedChild$", "-test.v")
			cmd.Env = append(os.Environ(), "SEALBURST_NAMED_CHILD="+mark, EnvDevices+"="+devices)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestNamedChild(t *testing.T) {
	switch os.Getenv("SEALBURST_NAMED_CHILD") {
	case "good":
		all := Named()
		if len(all) != 2 || all[0].Name != "crypto_aesni_gcm0" || all[1].Name != "crypto_openssl0" || all[1].Probe() != nil {
			t.Errorf("%v", all)
		}
		if again := Named(); len(again) != 2 || again[0] != all[0] {
			t.Errorf("%v the second time", again)
		}
		d := mustOpen(t, Config{Device: "crypto_aesni_gcm1"})
		if third := Named(); len(third) != 2 {
			t.Errorf("%v beside %s, which the program opened", third, d.Name())
		}
	case "bad":
		all := Named()
		if len(all) != 1 || all[0].Probe() == nil || all[0].AEADs[ciphers.AES128GCM] == nil {
			t.Fatalf("%v", all)
		}
		var e *eal.DeviceError
		if err := all[0].Probe(); !errors.As(err, &e) || e.Device != "crypto_nonsense0" {
			t.Errorf("%v", err)
		}
	default:
		t.Log("this is the child of TestNamed")
	}
}
