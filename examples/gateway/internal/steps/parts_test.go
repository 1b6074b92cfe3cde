package steps

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/engine"
)

var cbcSHA256 = ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA256)

// TestPartsOfACombinedAlgorithm are measured on every 64th burst, and change no packet:
// Go's own AES and HMAC agree with what was sealed.
func TestPartsOfACombinedAlgorithm(t *testing.T) {
	k := &Kernels{}
	e, err := engine.New(engine.Config{Available: k.Timed(builtin.Backends())})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	spec := engine.KeySpec{Algorithm: cbcSHA256, Key: bytes.Repeat([]byte{3}, 16), AuthKey: bytes.Repeat([]byte{4}, 32), Nonce: ciphers.NonceDrawn}
	key := newKey(t, e, spec, ciphers.Sealing)
	open := newKey(t, e, spec, ciphers.Opening)
	k.Reset()
	const bursts, size, header = 3 * sampleEvery, 64, 8
	for range bursts {
		packets := make([]engine.Packet, 20)
		for i := range packets {
			packets[i] = engine.Packet{Key: key, Buf: make([]byte, header+16+size+16), AADLen: header, IVOff: header, Off: header + 16, Len: size, Number: uint64(i)}
		}
		if n := e.Seal(packets); n != 20 {
			t.Fatalf("sealed %d", n)
		}
		checkCBC(t, &spec, packets[7].Buf, header)
		for i := range packets {
			packets[i].Key, packets[i].Len = open, size+16
		}
		if n := e.Open(packets); n != 20 || !bytes.Equal(packets[7].Buf[header+16:][:size], make([]byte, size)) {
			t.Fatalf("opened %d", n)
		}
	}
	for _, c := range []*combined{&k.sealBoth, &k.openBoth} {
		if c.both.packets.Load() != 20*bursts || c.sampled.packets.Load() != 20*3 || c.mac.packets.Load() != 20*3 || c.mac.nanoseconds.Load() == 0 {
			t.Errorf("%d packets, %d measured", c.both.packets.Load(), c.mac.packets.Load())
		}
	}
	if k.seal.packets.Load() != 0 || k.open.packets.Load() != 0 {
		t.Error("counted as algorithms of one part too")
	}
}

func newKey(t *testing.T, e *engine.Engine, spec engine.KeySpec, d ciphers.Direction) *engine.Key {
	t.Helper()
	spec.Direction = d
	key, err := e.NewKey(spec)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// checkCBC opens a packet of zeros as RFC 3602 and RFC 4868 say.
func checkCBC(t *testing.T, spec *engine.KeySpec, packet []byte, header int) {
	t.Helper()
	covered, icv := packet[:len(packet)-16], packet[len(packet)-16:]
	mac := hmac.New(sha256.New, spec.AuthKey)
	mac.Write(covered)
	if !hmac.Equal(mac.Sum(nil)[:16], icv) {
		t.Fatalf("ICV of %x", packet)
	}
	block, err := aes.NewCipher(spec.Key)
	if err != nil {
		t.Fatal(err)
	}
	plain := bytes.Clone(covered[header+16:])
	cipher.NewCBCDecrypter(block, covered[header:header+16]).CryptBlocks(plain, plain)
	if !bytes.Equal(plain, make([]byte, len(plain))) {
		t.Fatalf("payload %x", plain)
	}
}

// TestCoveredBytes are those of ciphers.EncryptThenMAC.
func TestCoveredBytes(t *testing.T) {
	std := builtin.Backends()
	plan := &ciphers.Plan{Bulk: std[len(std)-1].AEADs[cbcSHA256]}
	for _, b := range std {
		if b.Name == "std" {
			plan.Bulk = b.AEADs[cbcSHA256]
		}
	}
	for _, c := range []struct {
		d    ciphers.Direction
		esn  bool
		len  uint32
		want int
	}{{ciphers.Sealing, false, 64, 5 + 8 + 16 + 64}, {ciphers.Sealing, true, 64, 5 + 8 + 16 + 64 + 4}, {ciphers.Opening, false, 80, 5 + 8 + 16 + 64}} {
		key, err := ciphers.NewKey(&ciphers.KeySpec{
			Algorithm: cbcSHA256, Direction: c.d, Nonce: ciphers.NonceDrawn, Key: make([]byte, 16), AuthKey: make([]byte, 32), ESN: c.esn,
		}, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := covered(&ciphers.Packet{Key: key, Prefix: make([]byte, 5), AADLen: 8, Len: c.len}); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestWhichAlgorithmsHaveParts(t *testing.T) {
	hmacOnly := ciphers.EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA256)
	b := &ciphers.Backend{AEADs: map[ciphers.Algorithm]ciphers.AEAD{hmacOnly: &timedAEAD{}}}
	for algorithm, want := range map[ciphers.Algorithm]bool{
		cbcSHA256: true, ciphers.EncryptThenMAC(ciphers.AES256CTR, ciphers.HMACSHA256): true,
		ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA512): false, // this backend has no such HMAC
		hmacOnly: false, ciphers.EncryptThenMAC(ciphers.NullEncryption, ciphers.HMACSHA256): false, ciphers.AES128GCM: false,
	} {
		if got := partsOf(b, algorithm) != nil; got != want {
			t.Errorf("%v: %v", algorithm, got)
		}
	}
}

// TestCombinedTimesAreDivided as the bursts that were measured tell, and what measuring
// took is no part of them.
func TestCombinedTimesAreDivided(t *testing.T) {
	c, k := NewClock(), &Kernels{}
	c.counts[OutNumber].add(100, 100*time.Microsecond)
	k.sealBoth.both.add(100, 40*time.Microsecond)
	k.sealBoth.sampled.add(10, 4*time.Microsecond)
	k.sealBoth.mac.add(10, 3*time.Microsecond)
	k.sealBoth.besides.add(10, 50*time.Microsecond)
	c.counts[InNumber].add(5, 10*time.Microsecond)
	k.openBoth.both.add(5, 5*time.Microsecond) // none of which was measured on
	got := map[string]Time{}
	all := Sum([]*Clock{c}, k)
	for _, s := range all {
		got[s.Way+" "+s.Step] = s
	}
	for step, want := range map[string]float64{"out authenticate": 300, "out encrypt": 100, "out number": 100, "in open": 1000, "in number+replay": 1000} {
		if s := got[step]; s.NS != want {
			t.Errorf("%s: %+v, want %v", step, s, want)
		}
	}
	if _, both := got["out seal"]; both {
		t.Error("told twice")
	}
	var b bytes.Buffer
	Print(&b, all)
	if text := b.String(); !strings.Contains(text, "encrypt* 100.0, authenticate* 300.0; in all 500.0 ns") || !strings.Contains(text, "\n* out authenticate: "+howAlone) {
		t.Errorf("%q", text)
	}
}
