package ipsecadapter

import (
	"errors"
	"slices"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
)

// TestTransformTable compares with IANA's registry of IKEv2 and with the RFCs.
func TestTransformTable(t *testing.T) {
	for _, c := range []struct {
		name                  string
		encryption, integrity uint16
		bits, key, iv, icv    int
		esp, ah, legacy       bool
	}{
		{"aes128gcm16", 20, 0, 128, 20, 8, 16, true, false, false},
		{"aes256ccm8", 14, 0, 256, 35, 8, 8, true, false, false},
		{"chacha20poly1305", 28, 0, 0, 36, 8, 16, true, false, false},
		{"chacha20poly1305iiv", 31, 0, 0, 36, 0, 16, true, false, false},
		{"aes128ccm8iiv", 29, 0, 128, 19, 0, 8, true, false, false},
		{"aes192gmac", 21, 10, 192, 28, 8, 16, true, true, false},
		{"aes128-sha256", 12, 12, 128, 48, 16, 16, true, false, false},
		{"aes256-sha512", 12, 14, 256, 96, 16, 32, true, false, false},
		{"aes192ctr-sha384", 13, 13, 192, 76, 8, 24, true, false, false},
		{"aes128-sha1", 12, 2, 128, 36, 16, 12, true, false, true},
		{"3des-sha1", 3, 2, 0, 44, 8, 12, true, false, true},
		{"des-md5", 2, 1, 0, 24, 8, 12, true, false, true},
		{"blowfish128-sha256", 7, 12, 128, 48, 8, 16, true, false, true},
		{"null-sha256", 11, 12, 0, 32, 0, 16, true, false, true},
		{"sha256", 0, 12, 0, 32, 0, 16, false, true, false},
		{"sha1", 0, 2, 0, 20, 0, 12, false, true, true},
		{"md5", 0, 1, 0, 16, 0, 12, false, true, true},
	} {
		transform, err := ParseTransform(c.name)
		must(t, err)
		if transform.EncryptionID() != c.encryption || transform.IntegrityID() != c.integrity || transform.KeyBits() != c.bits ||
			transform.KeySize() != c.key || transform.IVSize() != c.iv || transform.ICVSize() != c.icv ||
			transform.Serves(ESP) != c.esp || transform.Serves(AH) != c.ah || transform.IsLegacy() != c.legacy || transform.Serves(2) {
			t.Errorf("%v: %d, %d, %d bits, %d bytes of key, %d of IV, %d of ICV, ESP %v, AH %v, legacy %v", transform,
				transform.EncryptionID(), transform.IntegrityID(), transform.KeyBits(), transform.KeySize(), transform.IVSize(),
				transform.ICVSize(), transform.Serves(ESP), transform.Serves(AH), transform.IsLegacy())
		}
	}
}

// TestTransformLists wants every transform in a list, under a name of its own.
func TestTransformLists(t *testing.T) {
	esp, ah := Transforms(), AHTransforms()
	if len(esp) != int(firstPair)-1+pairs-5 || len(ah) != 3+5 {
		t.Errorf("%d transforms of ESP, %d of AH", len(esp), len(ah))
	}
	seen := map[string]bool{}
	for transform := Transform(1); transform.Valid(); transform++ {
		again, err := ParseTransform(transform.String())
		if err != nil || again != transform || seen[transform.String()] {
			t.Errorf("%v is %v: %v", transform, again, err)
		}
		seen[transform.String()] = true
		if slices.Contains(esp, transform) != transform.Serves(ESP) || slices.Contains(ah, transform) != transform.Serves(AH) {
			t.Errorf("%v: not in the list that it belongs to", transform)
		}
	}
}

// TestLegacyTransforms are refused by an engine that does not allow them.
func TestLegacyTransforms(t *testing.T) {
	e, err := engine.New(engine.Config{})
	must(t, err)
	defer e.Close()
	for _, transform := range append(Transforms(), AHTransforms()...) {
		a := association4(transform)
		if !transform.Serves(ESP) {
			a.Protocol = AH
		}
		sa, err := NewOutboundSA(e, OutboundConfig{Association: a})
		if errors.Is(err, engine.ErrLegacy) != transform.IsLegacy() {
			t.Errorf("%v: %v", transform, err)
		}
		if err == nil {
			sa.Close()
		}
	}
	if !EncryptThenMAC(ciphers.NullEncryption, ciphers.HMACSHA256).IsLegacy() || aesSHA256.IsLegacy() {
		t.Error("NULL is legacy, AES-CBC with HMAC-SHA-256 is not")
	}
}
