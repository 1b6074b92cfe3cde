package ipsecadapter

import (
	"bytes"
	"crypto"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/sealburst/sealburst/record"
	"github.com/sealburst/sealburst/record/keysched"
)

// TestDeriveChildKeys computes KEYMAT by the formula of RFC 7296 section 2.13 and cuts it as
// section 2.17 says.
func TestDeriveChildKeys(t *testing.T) {
	skd, ni, nr := pattern(32), []byte("initiator's nonce"), []byte("responder's nonce")
	for _, shared := range [][]byte{nil, []byte("g^ir")} {
		for _, transform := range append(Transforms(), AHTransforms()...) {
			seed := append(append(bytes.Clone(shared), ni...), nr...)
			var keymat, last []byte
			for i := byte(1); len(keymat) < 2*transform.KeySize(); i++ {
				mac := hmac.New(sha256.New, skd)
				mac.Write(append(append(bytes.Clone(last), seed...), i))
				last = mac.Sum(nil)
				keymat = append(keymat, last...)
			}
			keys, err := DeriveChildKeys(transform, crypto.SHA256, skd, shared, ni, nr)
			must(t, err)
			n := transform.KeySize()
			if !bytes.Equal(keys.Initiator, keymat[:n]) || !bytes.Equal(keys.Responder, keymat[n:2*n]) {
				t.Errorf("%v: %x, %x, want %x", transform, keys.Initiator, keys.Responder, keymat[:2*n])
			}
		}
	}
}

func TestDeriveChildKeysRefuses(t *testing.T) {
	_, err := DeriveChildKeys(0, crypto.SHA256, nil, nil, nil, nil)
	wantField(t, err, "Transform")
	skd, nonce := pattern(32), pattern(16)
	if _, err := DeriveChildKeys(AES128GCM16, crypto.MD5, pattern(16), nil, nonce, nonce); !errors.Is(err, keysched.ErrHash) {
		t.Errorf("MD5: %v", err)
	}
	for _, c := range []struct {
		field       string
		skd, ni, nr []byte
	}{
		{"skd", nil, nonce, nonce}, {"skd", skd[1:], nonce, nonce}, {"skd", pattern(48), nonce, nonce},
		{"ni", skd, nil, nonce}, {"ni", skd, nonce[1:], nonce}, {"ni", skd, pattern(257), nonce},
		{"nr", skd, nonce, nil}, {"nr", skd, nonce, nonce[1:]}, {"nr", skd, nonce, pattern(257)},
	} {
		keys, err := DeriveChildKeys(AES128GCM16, crypto.SHA256, c.skd, nil, c.ni, c.nr)
		var length *keysched.LengthError
		if keys != nil || !errors.As(err, &length) || length.Field != c.field {
			t.Errorf("%d, %d and %d bytes: %v, want an error of %s", len(c.skd), len(c.ni), len(c.nr), err, c.field)
		}
	}
	if _, err := DeriveChildKeys(AES128GCM16, crypto.SHA256, skd, nil, nonce, pattern(256)); err != nil {
		t.Errorf("the longest nonce: %v", err)
	}
}

// TestChildSA makes both directions from one exchange.
func TestChildSA(t *testing.T) {
	keys, err := DeriveChildKeys(AES256GCM16, crypto.SHA384, pattern(48), nil, pattern(20), pattern(30))
	must(t, err)
	for _, key := range [][]byte{keys.Initiator, keys.Responder} {
		a := association4(AES256GCM16)
		a.Key = key
		p := pairOf(t, a)
		if d := p.open(p.seal(t, udpPacket(host4[0], host4[1], nil))[0].Content()); d.Drop != record.DropNone {
			t.Error(d.Drop)
		}
	}
	keys.Erase()
	if !bytes.Equal(keys.Initiator, make([]byte, 36)) || !bytes.Equal(keys.Responder, make([]byte, 36)) {
		t.Error("keys are left")
	}
}
