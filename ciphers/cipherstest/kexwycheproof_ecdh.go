package cipherstest

import (
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
)

// namedCurves are the curves' object identifiers (RFC 5480 section 2.1.1.1).
var namedCurves = map[ciphers.Algorithm]asn1.ObjectIdentifier{
	ciphers.P256: {1, 2, 840, 10045, 3, 1, 7},
	ciphers.P384: {1, 3, 132, 0, 34},
	ciphers.P521: {1, 3, 132, 0, 35},
}

// runECDH derives with the point of a test, bare or in a SubjectPublicKeyInfo.
func runECDH(t *testing.T, s kexSubject, v *kexTest) string {
	public, why := pointOf(s.group, v.Public)
	if why != "" {
		return why
	}
	k, ok := new(big.Int).SetString(string(v.Private), 16)
	if !ok || k.BitLen() > 8*s.group.PrivateSize() {
		return "private key of another curve"
	}
	private := k.FillBytes(make([]byte, s.group.PrivateSize()))
	return s.derive(t, v, private, public, v.Result)
}

// pointOf takes the point out of a SubjectPublicKeyInfo of the group's named
// curve. What is none is not for a key exchange to judge.
func pointOf(group ciphers.Algorithm, encoded []byte) (point []byte, why string) {
	if len(encoded) == 0 || encoded[0] != 0x30 {
		return encoded, ""
	}
	var info struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	if rest, err := asn1.Unmarshal(encoded, &info); err != nil || len(rest) != 0 {
		return nil, "no DER of a public key"
	}
	var curve asn1.ObjectIdentifier
	if rest, err := asn1.Unmarshal(info.Algorithm.Parameters.FullBytes, &curve); err != nil || len(rest) != 0 {
		return nil, "curve given by its parameters"
	}
	if !curve.Equal(namedCurves[group]) {
		return nil, "public key of another curve"
	}
	return info.Key.RightAlign(), ""
}
