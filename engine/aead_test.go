package engine

import (
	"bytes"
	"crypto/cipher"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

var _ cipher.AEAD = (*AEAD)(nil)

// aeadLengths are payloads and associated data: none, the edges of blocks, of
// packets, and more than a packet holds.
var (
	aeadLengths = []int{0, 1, 15, 16, 17, 156, 1450, 8193, 65535, 65536, 70000}
	aadLengths  = []int{0, 13, 8208, 65535, 65536}
)

// longAAD is from where on pion's CCM, the library here, codes the length of
// associated data with its two bytes exchanged (SP 800-38C A.2.2). Package
// cipherstest has another oracle for these.
const longAAD = 65280

func wantPanic(t *testing.T, with string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, with) {
			t.Errorf("panic %q, want one with %q", got, with)
		}
	}()
	f()
}

// eachAEAD runs a test for every algorithm, beside the library's AEAD.
func eachAEAD(t *testing.T, f func(t *testing.T, a *AEAD, library cipher.AEAD)) {
	e := portable(t)
	for _, alg := range packetAEADs() {
		t.Run(alg.String(), func(t *testing.T) {
			key := counting(alg.KeySize(), 3)
			a, err := e.AEAD(alg, key)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			f(t, a, libraryAEAD(t, alg, key))
		})
	}
}

func TestAEADIsTheLibraries(t *testing.T) {
	eachAEAD(t, func(t *testing.T, a *AEAD, library cipher.AEAD) {
		if a.NonceSize() != library.NonceSize() || a.Overhead() != library.Overhead() {
			t.Fatalf("nonces of %d, overhead of %d", a.NonceSize(), a.Overhead())
		}
		for i, n := range aeadLengths {
			for _, m := range aadLengths {
				if m >= longAAD && strings.HasSuffix(t.Name(), "-ccm") {
					continue
				}
				nonce, plain, aad := counting(12, byte(i)), counting(n, 3), counting(m, 5)
				want := library.Seal(nil, nonce, plain, aad)
				for _, dst := range [][]byte{nil, {}, []byte("a"), make([]byte, 512, 600), make([]byte, 3, n+64)} {
					compareAEAD(t, a, dst, nonce, plain, aad, want)
				}
			}
		}
	})
}

// compareAEAD seals and opens behind what dst holds.
func compareAEAD(t *testing.T, a *AEAD, dst, nonce, plain, aad, want []byte) {
	t.Helper()
	before := bytes.Clone(plain)
	sealed := a.Seal(dst, nonce, plain, aad)
	if !bytes.Equal(sealed, append(bytes.Clone(dst), want...)) {
		t.Errorf("sealing %d bytes with %d of associated data behind %d: wrong", len(plain), len(aad), len(dst))
	}
	if !bytes.Equal(plain, before) {
		t.Errorf("sealing %d bytes changed its input", len(plain))
	}
	wire := bytes.Clone(want)
	opened, err := a.Open(dst, nonce, wire, aad)
	if err != nil || !bytes.Equal(opened, append(bytes.Clone(dst), plain...)) {
		t.Errorf("opening %d bytes with %d of associated data behind %d: wrong, error %v", len(plain), len(aad), len(dst), err)
	}
	if !bytes.Equal(wire, want) {
		t.Errorf("opening %d bytes changed its input", len(plain))
	}
}

func TestAEADInPlace(t *testing.T) {
	eachAEAD(t, func(t *testing.T, a *AEAD, library cipher.AEAD) {
		for _, n := range aeadLengths {
			nonce, aad := counting(12, 1), counting(20, 2)
			buf := append(counting(n, 3), make([]byte, 16+7)...)[:n]
			want := library.Seal(nil, nonce, buf, aad)
			sealed := a.Seal(buf[:0], nonce, buf, aad)
			if !bytes.Equal(sealed, want) || !zero(sealed[len(sealed):][:7]) {
				t.Errorf("%d bytes: wrong in place, or written beyond", n)
			}
			opened, err := a.Open(sealed[:0], nonce, sealed, aad)
			if err != nil || !bytes.Equal(opened, counting(n, 3)) {
				t.Errorf("%d bytes: wrong opened in place, error %v", n, err)
			}
		}
	})
}

func TestAEADRefusesForgeries(t *testing.T) {
	eachAEAD(t, func(t *testing.T, a *AEAD, library cipher.AEAD) {
		for _, n := range aeadLengths {
			nonce, aad := counting(12, 1), counting(20, 2)
			sealed := library.Seal(nil, nonce, counting(n, 3), aad)
			for name, spoil := range map[string]func() (nonce, ciphertext, aad []byte){
				"nonce":      func() ([]byte, []byte, []byte) { return flipped(nonce, 11), sealed, aad },
				"first byte": func() ([]byte, []byte, []byte) { return nonce, flipped(sealed, 0), aad },
				"tag":        func() ([]byte, []byte, []byte) { return nonce, flipped(sealed, len(sealed)-1), aad },
				"data":       func() ([]byte, []byte, []byte) { return nonce, sealed, flipped(aad, 19) },
				"cut":        func() ([]byte, []byte, []byte) { return nonce, sealed[:len(sealed)-1], aad },
				"short":      func() ([]byte, []byte, []byte) { return nonce, sealed[:15], aad },
			} {
				out := bytes.Repeat([]byte{0xEE}, n)
				badNonce, bad, badAAD := spoil()
				got, err := a.Open(out[:0], badNonce, bad, badAAD)
				if got != nil || !errors.Is(err, ciphers.ErrAuth) {
					t.Errorf("%s of %d bytes: %d bytes, error %v", name, n, len(got), err)
				}
				if name != "short" && name != "cut" && !zero(out) {
					t.Errorf("%s of %d bytes: plaintext is left", name, n)
				}
			}
		}
	})
}

func flipped(b []byte, i int) []byte {
	c := bytes.Clone(b)
	c[i] ^= 1
	return c
}

func TestAEADPanicsWhereTheLibraryDoes(t *testing.T) {
	eachAEAD(t, func(t *testing.T, a *AEAD, library cipher.AEAD) {
		nonce, buf := make([]byte, 12), make([]byte, 300)
		sealed := library.Seal(nil, nonce, make([]byte, 100), nil)
		for _, n := range []int{0, 8, 11, 13, 16} {
			wantPanic(t, "nonce", func() { a.Seal(nil, make([]byte, n), nil, nil) })
			wantPanic(t, "nonce", func() { _, _ = a.Open(nil, make([]byte, n), sealed, nil) })
		}
		for _, at := range []int{1, 3, 99} {
			wantPanic(t, "overlap", func() { a.Seal(buf[at:at], nonce, buf[:100], nil) })
			wantPanic(t, "overlap", func() { _, _ = a.Open(buf[at:at], nonce, append(buf[:0], sealed...), nil) })
		}
		wantPanic(t, "associated data", func() { a.Seal(buf[:0], nonce, buf[150:250], buf[115:140]) })
		wantPanic(t, "overlap", func() { _, _ = a.Open(buf[:0], nonce, sealed, buf[99:140]) })
		a.Close()
		a.Close()
		wantPanic(t, "closed", func() { a.Seal(nil, nonce, nil, nil) })
		wantPanic(t, "closed", func() { a.Seal(nil, nonce, make([]byte, 70000), nil) })
		for _, n := range []int{16, 70000} {
			if _, err := a.Open(nil, nonce, make([]byte, n), nil); !errors.Is(err, ciphers.ErrKeyClosed) || errors.Is(err, ErrClosed) {
				t.Errorf("opening %d bytes after Close: %v", n, err)
			}
		}
	})
}

// TestAEADOpensNothingOnABackendThatFails returns the failure.
func TestAEADOpensNothingOnABackendThatFails(t *testing.T) {
	b := fake(t, "failing", 1, ciphers.AES128GCM)
	impl := &broken{AEAD: b.AEADs[ciphers.AES128GCM]}
	b.AEADs[ciphers.AES128GCM] = impl
	a, err := only(t, b, std(t)).AEAD(ciphers.AES128GCM, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	impl.open = func(p *Packet) { p.Status = ciphers.StatusBackend }
	if _, err := a.Open(nil, make([]byte, 12), make([]byte, 16), nil); !errors.Is(err, ciphers.StatusBackend.Err()) {
		t.Errorf("error %v", err)
	}
}

func TestAEADRefusesWhatIsNone(t *testing.T) {
	e := portable(t)
	for _, alg := range []Algorithm{0, ciphers.MaskAES128, ciphers.MaskChaCha20, ciphers.X25519, 200} {
		var field *ciphers.FieldError
		if _, err := e.AEAD(alg, make([]byte, alg.KeySize())); !errors.As(err, &field) || field.Field != "Algorithm" {
			t.Errorf("%v: error %v", alg, err)
		}
	}
	pair := ciphers.EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA256)
	var field *ciphers.FieldError
	if _, err := e.AEAD(pair, make([]byte, 16)); !errors.As(err, &field) || field.Field != "Algorithm" || !strings.Contains(err.Error(), "no cipher.AEAD form") {
		t.Errorf("%v: %v", pair, err)
	}
	if _, err := e.AEAD(ciphers.AES128GCM, make([]byte, 15)); !errors.As(err, &field) || field.Field != "Key" {
		t.Errorf("short key: error %v", err)
	}
	if n := len(e.keys); n != 0 {
		t.Errorf("%d keys are left", n)
	}
}

func TestAEADIsSafeForConcurrentUse(t *testing.T) {
	eachAEAD(t, func(t *testing.T, a *AEAD, library cipher.AEAD) {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for j := range 100 {
					nonce, plain := counting(12, byte(i*100+j)), counting(10*j, 1)
					sealed := a.Seal(nil, nonce, plain, nil)
					if opened, err := library.Open(nil, nonce, sealed, nil); err != nil || !bytes.Equal(opened, plain) {
						t.Errorf("wrong: %v", err)
					}
				}
			})
		}
		wg.Wait()
	})
}

func TestAEADKeepsNoHoldOfBuffers(t *testing.T) {
	eachAEAD(t, func(t *testing.T, a *AEAD, _ cipher.AEAD) {
		sealed := a.Seal(nil, make([]byte, 12), make([]byte, 40), make([]byte, 5))
		if _, err := a.Open(nil, make([]byte, 12), sealed, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
		for i := range a.engine.shards {
			if p := &a.engine.shards[i].lone[0]; p.Buf != nil || p.Plain != nil || p.Prefix != nil || p.Key != nil {
				t.Errorf("shard %d still holds a packet", i)
			}
		}
	})
}
