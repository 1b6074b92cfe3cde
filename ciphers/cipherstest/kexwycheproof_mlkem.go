package cipherstest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// runDecapsulation generates from the seed and decapsulates.
func runDecapsulation(t *testing.T, s kexSubject, v *kexTest) string {
	if len(v.Seed) != s.group.PrivateSize() {
		return s.refusedSize(t, v, ciphers.OpGenerate, func(x *ciphers.Exchange) { x.Seed = nonNil(v.Seed) })
	}
	if len(v.C) != s.group.CiphertextSize() {
		return s.refusedSize(t, v, ciphers.OpDecapsulate, func(x *ciphers.Exchange) { x.Ciphertext = v.C })
	}
	x := s.room()
	x.Seed = v.Seed
	if st := s.one(ciphers.OpGenerate, x); st != ciphers.StatusOK || len(v.EK) > 0 && !bytes.Equal(x.Public, v.EK) {
		t.Errorf("tcId %d %s: generate: %v", v.TcID, v.Comment, st)
	}
	x.Ciphertext = v.C
	st := s.one(ciphers.OpDecapsulate, x)
	if got := bytes.Equal(x.Secret, v.K); st != ciphers.StatusOK || got != (v.Result == "valid") {
		t.Errorf("tcId %d %s: decapsulate: %v, secret %x", v.TcID, v.Comment, st, x.Secret)
	}
	return ""
}

// runEncapsulation encapsulates from m, or expects the key to be refused.
func runEncapsulation(t *testing.T, s kexSubject, v *kexTest) string {
	if len(v.EK) != s.group.PublicSize() {
		return s.refusedSize(t, v, ciphers.OpEncapsulate, func(x *ciphers.Exchange) { x.Public = v.EK })
	}
	x := s.room()
	x.Public, x.Seed = v.EK, v.M
	st := s.one(ciphers.OpEncapsulate, x)
	switch {
	case v.Result != "valid" && st != ciphers.StatusShare:
		t.Errorf("tcId %d %s: %v", v.TcID, v.Comment, st)
	case v.Result != "valid":
	case st != ciphers.StatusOK || !bytes.Equal(x.Ciphertext, v.C) || !bytes.Equal(x.Secret, v.K):
		t.Errorf("tcId %d %s: %v, or wrong bytes", v.TcID, v.Comment, st)
	}
	return ""
}

// runKeyGeneration generates from the seed.
func runKeyGeneration(t *testing.T, s kexSubject, v *kexTest) string {
	x := s.room()
	x.Seed = nonNil(v.Seed)
	st := s.one(ciphers.OpGenerate, x)
	good := st == ciphers.StatusOK && bytes.Equal(x.Public, v.EK) && bytes.Equal(x.Private, v.Seed)
	if good != (v.Result == "valid") {
		t.Errorf("tcId %d %s: %v, or a wrong key", v.TcID, v.Comment, st)
	}
	return ""
}

// runExpanded passes over good keys in the long form of FIPS 203 section 7.1:
// private keys are seeds here. Package mlkem's own tests run those. What is
// refused in that form is refused as a private key of a wrong size.
func runExpanded(t *testing.T, s kexSubject, v *kexTest) string {
	switch {
	case len(v.C) != s.group.CiphertextSize():
		return s.refusedSize(t, v, ciphers.OpDecapsulate, func(x *ciphers.Exchange) { x.Ciphertext = v.C })
	case v.Result != "valid":
		return s.refusedSize(t, v, ciphers.OpDecapsulate, func(x *ciphers.Exchange) { x.Private = v.DK })
	}
	return fmt.Sprintf("decapsulation key of %d bytes without its seed", len(v.DK))
}

// refusedSize expects the border to refuse what set put into an entry.
func (s kexSubject) refusedSize(t *testing.T, v *kexTest, op ciphers.Operation, set func(*ciphers.Exchange)) string {
	x := s.room()
	set(x)
	st := s.one(op, x)
	if st == ciphers.StatusOK || v.Result == "valid" {
		t.Errorf("tcId %d %s: %v on a wrong size", v.TcID, v.Comment, st)
	}
	return ""
}

// nonNil makes an empty seed one that is there.
func nonNil(b []byte) []byte { return append([]byte{}, b...) }
