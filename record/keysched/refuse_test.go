package keysched

import (
	"bytes"
	"crypto"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestRefusals calls every function with one thing wrong at a time. Each must name
// what is wrong, and leave the output alone.
func TestRefusals(t *testing.T) {
	b := func(n int) []byte { return bytes.Repeat([]byte{0xa5}, n) }
	out := map[int][]byte{}
	for _, n := range []int{16, 20, 31, 32, 47, 48, 255*32 + 1} {
		out[n] = b(n)
	}
	r := b(RandomSize)
	block := KeyBlock{ClientKey: out[16], ServerKey: out[16], ClientIV: out[16], ServerIV: out[16]}
	keys := TrafficKeys{Key: out[16], IV: out[16], Mask: out[16]}
	ike := IKEKeys{D: out[20], PI: out[20], PR: out[20]}
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"prf hash", PRF(out[16], crypto.SHA1, r, "x"), ErrHash},
		{"prf hash 0", PRF(out[16], 0, r, "x"), ErrHash},
		{"master size", MasterSecret(out[47], crypto.SHA256, r, r, r), ErrLength},
		{"master client random", MasterSecret(out[48], crypto.SHA256, r, b(31), r), ErrLength},
		{"master server random", MasterSecret(out[48], crypto.SHA256, r, r, b(33)), ErrLength},
		{"extended master size", ExtendedMasterSecret(out[47], crypto.SHA256, r, r), ErrLength},
		{"key block master", block.Derive(crypto.SHA256, b(47), r, r), ErrLength},
		{"key block random", block.Derive(crypto.SHA256, b(48), r, nil), ErrLength},
		{"key block hash", block.Derive(crypto.MD5, b(48), r, r), ErrHash},
		{"exporter context", Exporter(out[16], crypto.SHA256, b(48), r, r, "x", b(1<<16)), ErrLength},
		{"exporter random", Exporter(out[16], crypto.SHA256, b(48), nil, r, "x", nil), ErrLength},
		{"label prefix", Prefix("tls13").ExpandLabel(out[16], crypto.SHA256, r, "key", nil), ErrPrefix},
		{"label prefix none", Prefix("").ExpandLabel(out[16], crypto.SHA256, r, "key", nil), ErrPrefix},
		{"label hash", TLS13.ExpandLabel(out[16], crypto.SHA512, r, "key", nil), ErrHash},
		{"label empty", TLS13.ExpandLabel(out[16], crypto.SHA256, r, "", nil), ErrLabel},
		{"label long", TLS13.ExpandLabel(out[16], crypto.SHA256, r, strings.Repeat("x", 250), nil), ErrLabel},
		{"label context", TLS13.ExpandLabel(out[16], crypto.SHA256, r, "key", b(256)), ErrLength},
		{"label output", TLS13.ExpandLabel(out[255*32+1], crypto.SHA256, r, "key", nil), ErrLength},
		{"DTLS 1.3 hash", keys.DTLS13(crypto.SHA512, r), ErrHash},
		{"DTLS 1.3 next size", NextDTLS13(out[31], crypto.SHA256, r), ErrLength},
		{"DTLS 1.3 next hash", NextDTLS13(out[32], 0, r), ErrHash},
		{"QUIC version", keys.QUIC(0, crypto.SHA256, r), ErrVersion},
		{"QUIC hash", keys.QUIC(QUIC1, 0, r), ErrHash},
		{"QUIC initial version", QUICVersion(0xff00001d).InitialSecrets(out[32], out[32], r[:8]), ErrVersion},
		{"QUIC initial client", QUIC1.InitialSecrets(out[31], out[32], r[:8]), ErrLength},
		{"QUIC initial server", QUIC1.InitialSecrets(out[32], out[31], r[:8]), ErrLength},
		{"QUIC initial connection ID", QUIC1.InitialSecrets(out[32], out[32], r[:21]), ErrLength},
		{"QUIC next version", QUICVersion(2).Next(out[32], crypto.SHA256, r), ErrVersion},
		{"QUIC next size", QUIC2.Next(out[31], crypto.SHA256, r), ErrLength},
		{"prf+ hash", PRFPlus(out[16], crypto.MD5, r, r), ErrHash},
		{"prf+ output", PRFPlus(out[255*32+1], crypto.SHA256, r, r), ErrLength},
		{"SKEYSEED size", SKEYSEED(out[31], crypto.SHA256, r, r, r), ErrLength},
		{"SKEYSEED hash", SKEYSEED(out[32], 0, r, r, r), ErrHash},
		{"IKE SPI", ike.Derive(crypto.SHA256, r, r, r, r[:7], r[:8]), ErrLength},
		{"IKE peer SPI", ike.Derive(crypto.SHA256, r, r, r, r[:8], r[:9]), ErrLength},
		{"KEYMAT hash", KEYMAT(out[16], crypto.MD5, r, nil, r, r), ErrHash},
		{"IKE hash", ike.Derive(crypto.MD5, r, r, r, r[:8], r[:8]), ErrHash},
	}
	for _, test := range tests {
		if !errors.Is(test.err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, test.err, test.want)
		}
	}
	for n, got := range out {
		if !bytes.Equal(got, b(n)) {
			t.Errorf("an output of %d bytes was written", n)
		}
	}
}

// TestSecretsRefused gives every function a secret that is missing or of a wrong length. What
// it would derive from none anyone can compute.
func TestSecretsRefused(t *testing.T) {
	b := func(n int) []byte { return bytes.Repeat([]byte{0xa5}, n) }
	r, out := b(RandomSize), map[int][]byte{16: b(16), 20: b(20), 32: b(32), 48: b(48)}
	keys := TrafficKeys{Key: out[16], IV: out[16], Mask: out[16]}
	ike := IKEKeys{D: out[20], PI: out[20], PR: out[20]}
	const none = math.MaxInt
	for _, test := range []struct {
		field       string
		least, most int // bytes
		derive      func(secret []byte) error
	}{
		{"secret", 1, none, func(s []byte) error { return PRF(out[16], crypto.SHA256, s, "x") }},
		{"premaster", 1, none, func(s []byte) error { return MasterSecret(out[48], crypto.SHA256, s, r, r) }},
		{"premaster", 1, none, func(s []byte) error { return ExtendedMasterSecret(out[48], crypto.SHA256, s, r) }},
		{"master", 48, 48, func(s []byte) error { return Exporter(out[16], crypto.SHA256, s, r, r, "x", nil) }},
		{"secret", 32, 32, func(s []byte) error { return TLS13.ExpandLabel(out[16], crypto.SHA256, s, "key", nil) }},
		{"secret", 48, 48, func(s []byte) error { return DTLS13.ExpandLabel(out[16], crypto.SHA384, s, "key", nil) }},
		{"secret", 32, 32, func(s []byte) error { return keys.DTLS13(crypto.SHA256, s) }},
		{"secret", 48, 48, func(s []byte) error { return keys.QUIC(QUIC1, crypto.SHA384, s) }},
		{"secret", 32, 32, func(s []byte) error { return new(TrafficKeys).QUIC(QUIC2, crypto.SHA256, s) }},
		{"current", 32, 32, func(s []byte) error { return NextDTLS13(out[32], crypto.SHA256, s) }},
		{"current", 48, 48, func(s []byte) error { return QUIC1.Next(out[48], crypto.SHA384, s) }},
		{"key", 1, none, func(s []byte) error { return PRFPlus(out[16], crypto.SHA256, s, r) }},
		{"skd", 32, 32, func(s []byte) error { return KEYMAT(out[16], crypto.SHA256, s, r, r, r) }},
		{"ni", 16, 256, func(s []byte) error { return KEYMAT(out[16], crypto.SHA256, r, nil, s, r) }},
		{"nr", 16, 256, func(s []byte) error { return KEYMAT(out[16], crypto.SHA256, r, nil, r, s) }},
		{"shared", 1, none, func(s []byte) error { return SKEYSEED(out[32], crypto.SHA256, s, r, r) }},
		{"ni", 1, 256, func(s []byte) error { return SKEYSEED(out[32], crypto.SHA256, r, s, r) }},
		{"nr", 1, 256, func(s []byte) error { return SKEYSEED(out[32], crypto.SHA256, r, r, s) }},
		{"skd", 20, 20, func(s []byte) error { return RekeySKEYSEED(out[20], crypto.SHA1, s, r, r, r) }},
		{"shared", 1, none, func(s []byte) error { return RekeySKEYSEED(out[32], crypto.SHA256, r, s, r, r) }},
		{"skeyseed", 20, 20, func(s []byte) error { return ike.Derive(crypto.SHA1, s, r, r, r[:8], r[:8]) }},
		{"nr", 1, 256, func(s []byte) error { return ike.Derive(crypto.SHA256, r, r, s, r[:8], r[:8]) }},
	} {
		wrong := [][]byte{nil, b(test.least - 1)}
		if test.most != none {
			wrong = append(wrong, b(test.most+1), b(1000))
		}
		for _, secret := range wrong {
			var got *LengthError
			if err := test.derive(secret); !errors.Is(err, ErrLength) || !errors.As(err, &got) ||
				*got != (LengthError{test.field, len(secret), test.least, test.most}) {
				t.Errorf("%s of %d bytes: %v", test.field, len(secret), err)
			}
		}
	}
	for n, got := range out {
		if !bytes.Equal(got, b(n)) {
			t.Errorf("an output of %d bytes was written", n)
		}
	}
}

func TestLengthErrorText(t *testing.T) {
	for want, e := range map[string]LengthError{
		"keysched: length out of range: master has 0 bytes, not 48":           {"master", 0, 48, 48},
		"keysched: length out of range: ni has 15 bytes, not 16 to 256":       {"ni", 15, 16, 256},
		"keysched: length out of range: premaster has 0 bytes, not 1 or more": {"premaster", 0, 1, math.MaxInt},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
}

func TestExporterRefusesReservedLabels(t *testing.T) {
	r := make([]byte, RandomSize)
	for _, label := range reserved {
		if err := Exporter(make([]byte, 16), crypto.SHA256, make([]byte, 48), r, r, label, nil); !errors.Is(err, ErrLabel) {
			t.Errorf("%q: %v", label, err)
		}
	}
}

// TestKeyUpdateKeepsTheMaskKey leaves a mask of no length alone, and derives the rest as before.
func TestKeyUpdateKeepsTheMaskKey(t *testing.T) {
	secret := make([]byte, 32)
	full := TrafficKeys{Key: make([]byte, 16), IV: make([]byte, 12), Mask: make([]byte, 16)}
	must(t, full.QUIC(QUIC1, crypto.SHA256, secret))
	updated := TrafficKeys{Key: make([]byte, 16), IV: make([]byte, 12)}
	must(t, updated.QUIC(QUIC1, crypto.SHA256, secret))
	if !bytes.Equal(full.Key, updated.Key) || !bytes.Equal(full.IV, updated.IV) || updated.Mask != nil {
		t.Errorf("with mask %x, without %x", full, updated)
	}
}

// TestDTLS13Keys holds the wrapper against the labels of RFC 9147 section 4.2.3,
// which testdata/openssl.txt verifies.
func TestDTLS13Keys(t *testing.T) {
	secret := bytes.Repeat([]byte{3}, 48)
	k := TrafficKeys{Key: make([]byte, 32), IV: make([]byte, 12), Mask: make([]byte, 32)}
	must(t, k.DTLS13(crypto.SHA384, secret))
	for label, got := range map[string][]byte{"key": k.Key, "iv": k.IV, "sn": k.Mask} {
		want := make([]byte, len(got))
		must(t, DTLS13.ExpandLabel(want, crypto.SHA384, secret, label, nil))
		if !bytes.Equal(got, want) {
			t.Errorf("%s = %x, want %x", label, got, want)
		}
	}
	next, want := make([]byte, 48), make([]byte, 48)
	must(t, NextDTLS13(next, crypto.SHA384, secret))
	must(t, DTLS13.ExpandLabel(want, crypto.SHA384, secret, "traffic upd", nil))
	if !bytes.Equal(next, want) {
		t.Errorf("next = %x, want %x", next, want)
	}
}
