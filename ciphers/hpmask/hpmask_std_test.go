package hpmask

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// TestChaCha20CounterAtItsEnd makes masks from samples whose first four bytes
// are the block counters 0xFFFFFFFE and 0xFFFFFFFF (RFC 9001 section 5.4.4).
// Libraries refuse to go past the last block; a mask of 16 bytes does not. The
// expected masks are OpenSSL's, of which openssl enc -chacha20 takes the sample
// as -iv.
func TestChaCha20CounterAtItsEnd(t *testing.T) {
	secret := bytes.Repeat([]byte{0x42}, ciphers.MaskChaCha20.KeySize())
	key, err := ciphers.NewKey(&ciphers.KeySpec{Algorithm: ciphers.MaskChaCha20, Key: secret}, &ciphers.Plan{Mask: ChaCha20()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ counter, want string }{
		{"feffffff", "535c595e06463461d93b1b24ba12b9e3"},
		{"ffffffff", "5c914b4f2af9aa75e7f1797bc32d3c51"},
	} {
		counter, err := hex.DecodeString(c.counter)
		if err != nil {
			t.Fatal(err)
		}
		got := bytes.Repeat([]byte{0xA5}, ciphers.MaskSize) // what lies there must not matter
		ps := []ciphers.Packet{{Buf: append(counter, bytes.Repeat([]byte{7}, 12)...), MaskKey: key}}
		ChaCha20().Mask(got, ciphers.Burst{Packets: ps, Index: ciphers.Identity(1)})
		if hex.EncodeToString(got) != c.want {
			t.Errorf("counter %s: mask %x, want %s", c.counter, got, c.want)
		}
	}
}
