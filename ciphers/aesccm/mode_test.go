package aesccm

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
	"github.com/sealburst/sealburst/ciphers"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// count is n bytes that count up from first.
func count(first byte, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

func newMode(t testing.TB, key []byte, nonce, tag int) *mode {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	return &mode{block, nonce, tag}
}

// TestSP80038C is appendix C. Its tags and its short nonces are not sizes that
// package ciphers offers, but the mode is the same; example 4 has 65536 bytes of
// associated data, in the long coding of their length.
func TestSP80038C(t *testing.T) {
	for i, v := range []struct {
		nonce, aad, payload []byte
		tag                 int
		sealed              string
	}{
		{count(0x10, 7), count(0, 8), count(0x20, 4), 4, "7162015b4dac255d"},
		{count(0x10, 8), count(0, 16), count(0x20, 16), 6, "d2a1f0e051ea5f62081a7792073d593d1fc64fbfaccd"},
		{count(0x10, 12), count(0, 20), count(0x20, 24), 8, "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"},
		{count(0x10, 13), count(0, 65536), count(0x20, 32), 14,
			"69915dad1e84c6376a68c2967e4dab615ae0fd1faec44cc484828529463ccf72b4ac6bec93e8598e7f0dadbcea5b"},
	} {
		m := newMode(t, count(0x40, 16), len(v.nonce), v.tag)
		sealed := m.Seal(nil, v.nonce, v.payload, v.aad)
		if want := unhex(t, v.sealed); !bytes.Equal(sealed, want) {
			t.Errorf("example %d: sealed\n%x, want\n%x", i+1, sealed, want)
		}
		opened, err := m.Open(nil, v.nonce, sealed, v.aad)
		if err != nil || !bytes.Equal(opened, v.payload) {
			t.Errorf("example %d: opened %x, %v", i+1, opened, err)
		}
	}
}

// TestAADLengthCoding holds the edge of the two codings against OpenSSL 3.0.
// pion/dtls swaps the two marker bytes of the long one and is no oracle there.
func TestAADLengthCoding(t *testing.T) {
	m := newMode(t, count(0, 16), 12, 16)
	const body = "03949b8366d10b95228555eb5849f5a94b86e08401723c1c"
	for n, tag := range map[int]string{
		65279: "01329b52feb795022c7d052d1bc39c18",
		65280: "26d2e6d972620e2f682f62e69b7d6248",
		65281: "d5507c7a226419e480f50cfbc6ff82e4",
		65535: "8ec83d2ad6c63287e9ba0244c2c67f9a",
	} {
		sealed := m.Seal(nil, count(0x10, 12), count(0x20, 24), count(0, n))
		if want := unhex(t, body+tag); !bytes.Equal(sealed, want) {
			t.Errorf("%d bytes: sealed\n%x, want\n%x", n, sealed, want)
		}
	}
}

// oracle calls visit with our mode and pion's for every parameter.
func oracle(t *testing.T, visit func(t *testing.T, ours, pion cipher.AEAD)) {
	for _, key := range []int{16, 24, 32} {
		for _, nonce := range ciphers.AES128CCM.NonceSizes() {
			for _, tag := range ciphers.AES128CCM.TagSizes() {
				t.Run(fmt.Sprintf("key=%d/nonce=%d/tag=%d", key, nonce, tag), func(t *testing.T) {
					m := newMode(t, count(byte(key), key), nonce, tag)
					pion, err := ccm.NewCCM(m.block, tag, nonce)
					if err != nil {
						t.Fatal(err)
					}
					visit(t, m, pion)
				})
			}
		}
	}
}

func TestAgainstPion(t *testing.T) {
	oracle(t, func(t *testing.T, ours, pion cipher.AEAD) {
		nonce := count(0xf3, ours.NonceSize())
		for n := range 600 {
			agree(t, ours, pion, nonce, count(1, n), count(7, n%37))
		}
		for _, n := range []int{1450, 4095, 4096, 4200, 8191, 16384, 65534, 65535} {
			agree(t, ours, pion, nonce, count(1, n), count(7, 13))
		}
		for _, n := range []int{0, 1, 13, 14, 15, 16, 29, 30, 31, 46, 47, 255, 4096, 65278, 65279} {
			agree(t, ours, pion, nonce, count(1, 20), count(7, n))
		}
	})
}

func agree(t *testing.T, ours, pion cipher.AEAD, nonce, plaintext, aad []byte) {
	t.Helper()
	want := pion.Seal(nil, nonce, plaintext, aad)
	buf := append(bytes.Clone(plaintext), make([]byte, ours.Overhead())...)
	if got := ours.Seal(buf[:0], nonce, buf[:len(plaintext)], aad); !bytes.Equal(got, want) {
		t.Fatalf("payload %d, aad %d: sealed differs", len(plaintext), len(aad))
	}
	opened, err := ours.Open(make([]byte, 0, len(plaintext)), nonce, want, aad)
	if err != nil || !bytes.Equal(opened, plaintext) {
		t.Fatalf("payload %d, aad %d: opened differs, %v", len(plaintext), len(aad), err)
	}
	if opened, err = ours.Open(buf[:0], nonce, buf, aad); err != nil || !bytes.Equal(opened, plaintext) {
		t.Fatalf("payload %d, aad %d: opened in place differs, %v", len(plaintext), len(aad), err)
	}
}

// TestForged flips each bit of a short packet, and of its nonce and associated
// data: nothing opens, and what was written is zero.
func TestForged(t *testing.T) {
	oracle(t, func(t *testing.T, m, _ cipher.AEAD) {
		nonce, aad := count(9, m.NonceSize()), count(3, 21)
		sealed := m.Seal(nil, nonce, count(1, 33), aad)
		for _, field := range [][]byte{sealed, nonce, aad} {
			for bit := range 8 * len(field) {
				field[bit/8] ^= 1 << (bit % 8)
				dst := bytes.Repeat([]byte{0xee}, 33)
				if got, err := m.Open(dst[:0], nonce, sealed, aad); got != nil || err != ciphers.ErrAuth {
					t.Fatalf("bit %d: opened %x, %v", bit, got, err)
				}
				if !bytes.Equal(dst, make([]byte, 33)) {
					t.Fatalf("bit %d: plaintext %x is left", bit, dst)
				}
				field[bit/8] ^= 1 << (bit % 8)
			}
		}
		for n := range m.Overhead() {
			if _, err := m.Open(nil, nonce, sealed[:n], aad); err != ciphers.ErrAuth {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	})
}

// TestLimits: 13 bytes of nonce leave 2 to count the payload, tag not included.
func TestLimits(t *testing.T) {
	m := newMode(t, make([]byte, 16), 13, 16)
	nonce := make([]byte, 13)
	sealed := m.Seal(nil, nonce, make([]byte, 65535), nil)
	if _, err := m.Open(nil, nonce, sealed, nil); err != nil {
		t.Errorf("65535 bytes: %v", err)
	}
	panics := func(name string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", name)
			}
		}()
		f()
	}
	panics("65536 bytes", func() { m.Seal(nil, nonce, make([]byte, 65536), nil) })
	panics("short nonce", func() { m.Seal(nil, nonce[1:], nil, nil) })
}

// FuzzAgainstPion seals and opens what the fuzzer makes up with both modes, and
// opens what it makes up as if it were sealed.
func FuzzAgainstPion(f *testing.F) {
	f.Add(uint8(0), []byte("0123456789abcdef0123456789abcdef"), []byte("payload"), []byte("associated"))
	f.Add(uint8(4), []byte{}, []byte{}, []byte{})
	f.Add(uint8(8), []byte{1}, count(0, 257), count(0, 30))
	f.Fuzz(func(t *testing.T, sizes uint8, key, payload, aad []byte) {
		if len(payload) > ciphers.MaxPayload || len(aad) >= longAAD {
			return
		}
		nonces, tags := ciphers.AES128CCM.NonceSizes(), ciphers.AES128CCM.TagSizes()
		size, tag := nonces[int(sizes)%len(nonces)], tags[int(sizes)/3%len(tags)]
		m := newMode(t, append(key, make([]byte, 32)...)[:32], size, tag)
		pion, err := ccm.NewCCM(m.block, tag, size)
		if err != nil {
			t.Fatal(err)
		}
		nonce := append(key, make([]byte, size)...)[:size]
		agree(t, m, pion, nonce, payload, aad)
		if _, err := pion.Open(nil, nonce, payload, aad); err != nil {
			if _, err := m.Open(nil, nonce, payload, aad); err != ciphers.ErrAuth {
				t.Fatalf("opened what pion refuses: %v", err)
			}
		}
	})
}
