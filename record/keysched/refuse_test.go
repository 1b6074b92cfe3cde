package keysched

import (
	"bytes"
	"crypto"
	"errors"
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
