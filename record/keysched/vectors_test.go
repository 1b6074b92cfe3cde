package keysched

import (
	"bufio"
	"bytes"
	"crypto"
	"encoding/hex"
	"os"
	"strings"
	"testing"
)

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wantHex(t testing.TB, what string, got []byte, want string) {
	t.Helper()
	if !bytes.Equal(got, unhex(t, want)) {
		t.Errorf("%s = %x, want %s", what, got, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestQUICInitialKeys has RFC 9001 appendix A.1 and RFC 9369 appendix A.1.
func TestQUICInitialKeys(t *testing.T) {
	type keys struct{ secret, key, iv, mask string }
	for _, test := range []struct {
		version        QUICVersion
		client, server keys
	}{
		{
			QUIC1,
			keys{"c00cf151ca5be075ed0ebfb5c80323c42d6b7db67881289af4008f1f6c357aea",
				"1f369613dd76d5467730efcbe3b1a22d", "fa044b2f42a3fd3b46fb255c", "9f50449e04a0e810283a1e9933adedd2"},
			keys{"3c199828fd139efd216c155ad844cc81fb82fa8d7446fa7d78be803acdda951b",
				"cf3a5331653c364c88f0f379b6067e37", "0ac1493ca1905853b0bba03e", "c206b8d9b9f0f37644430b490eeaa314"},
		},
		{
			QUIC2,
			keys{"14ec9d6eb9fd7af83bf5a668bc17a7e283766aade7ecd0891f70f9ff7f4bf47b",
				"8b1a0bc121284290a29e0971b5cd045d", "91f73e2351d8fa91660e909f", "45b95e15235d6f45a6b19cbcb0294ba9"},
			keys{"0263db1782731bf4588e7e4d93b7463907cb8cd8200b5da55a8bd488eafc37c1",
				"82db637861d55e1d011f19ea71d5d2a7", "dd13c276499c0249d3310652", "edf6d05c83121201b436e16877593c3a"},
		},
	} {
		client, server := make([]byte, 32), make([]byte, 32)
		must(t, test.version.InitialSecrets(client, server, unhex(t, "8394c8f03e515708")))
		for _, side := range []struct {
			secret []byte
			want   keys
		}{{client, test.client}, {server, test.server}} {
			k := TrafficKeys{Key: make([]byte, 16), IV: make([]byte, 12), Mask: make([]byte, 16)}
			must(t, k.QUIC(test.version, crypto.SHA256, side.secret))
			wantHex(t, "secret", side.secret, side.want.secret)
			wantHex(t, "key", k.Key, side.want.key)
			wantHex(t, "iv", k.IV, side.want.iv)
			wantHex(t, "mask key", k.Mask, side.want.mask)
		}
	}
}

// TestQUICChaCha20Keys has RFC 9001 appendix A.5 and RFC 9369 appendix A.5, which start from one secret.
func TestQUICChaCha20Keys(t *testing.T) {
	secret := unhex(t, "9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b")
	for _, test := range []struct {
		version             QUICVersion
		key, iv, mask, next string
	}{
		{QUIC1, "c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8", "e0459b3474bdd0e44a41c144",
			"25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4",
			"1223504755036d556342ee9361d253421a826c9ecdf3c7148684b36b714881f9"},
		{QUIC2, "3bfcddd72bcf02541d7fa0dd1f5f9eeea817e09a6963a0e6c7df0f9a1bab90f2", "a6b5bc6ab7dafce30ffff5dd",
			"d659760d2ba434a226fd37b35c69e2da8211d10c4f12538787d65645d5d1b8e2",
			"c69374c49e3d2a9466fa689e49d476db5d0dfbc87d32ceeaa6343fd0ae4c7d88"},
	} {
		k := TrafficKeys{Key: make([]byte, 32), IV: make([]byte, 12), Mask: make([]byte, 32)}
		must(t, k.QUIC(test.version, crypto.SHA256, secret))
		wantHex(t, "key", k.Key, test.key)
		wantHex(t, "iv", k.IV, test.iv)
		wantHex(t, "mask key", k.Mask, test.mask)
		next := bytes.Clone(secret)
		must(t, test.version.Next(next, crypto.SHA256, next))
		wantHex(t, "next secret", next, test.next)
	}
}

// TestTLS13Handshake has the derivation of the server's handshake keys of RFC 8448 section 3.
func TestTLS13Handshake(t *testing.T) {
	secret := unhex(t, "b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38")
	key, iv := make([]byte, 16), make([]byte, 12)
	must(t, TLS13.ExpandLabel(key, crypto.SHA256, secret, "key", nil))
	must(t, TLS13.ExpandLabel(iv, crypto.SHA256, secret, "iv", nil))
	wantHex(t, "key", key, "3fce516009c21727d0f2e4e86ee403bc")
	wantHex(t, "iv", iv, "5d313eb2671276ee13000b30")
}

// TestIKEv2CAVP has the first vector with HMAC-SHA-1 of NIST's validation suite for SP 800-135.
func TestIKEv2CAVP(t *testing.T) {
	ni, nr := unhex(t, "32b50d5f4a3763f3"), unhex(t, "9206a04b26564cb1")
	spiI, spiR := unhex(t, "34c9e7c188868785"), unhex(t, "3ff77d760d2b2199")
	shared := unhex(t, "4b2c1f971981a8ad8d0abeafabf38cf75fc8349c148142465ed9c8b516b8be52")
	renewed := unhex(t, "863f3c9d06efd39d2b907b97f8699e5dd5251ef64a2a176f36ee40c87d4f9330")
	const (
		derived = "a14293677cc80ff8f9cc0eee30d895da9d8f405666e30ef0dfcb63c634a46002a2a63080e514a062768b76606f9fa5e992204fc5a670bde3f10d6b027113936a5c55b648a194ae587b0088d52204b702c979fa280870d2ed41efa9c549fd11198af1670b143d384bd275c5f594cf266b05ebadca855e4249520a441a81157435a7a56cc4"
		child   = "8059e3ee8810e6c3a91bc8bcd2a7a41151b8d0e6ae239c7b38093ad85ef4c5811a8e7b5d1cdabd9560b2d5e092d1f24e2d4b85eccdf0ad0dc9abd94b51ee71814ca6dbc8bb51b6309f5b9545c7eb35cf5580b1e521a8fe20754a2d883ba0c2cf285f524aea6545b33106bc03e614296d319d41d4b50b3f510b1c0a22f3e664994d234cb4"
	)
	seed := make([]byte, 20)
	must(t, SKEYSEED(seed, crypto.SHA1, shared, ni, nr))
	wantHex(t, "SKEYSEED", seed, "a9a7b222b59f8f48645f28a1db5b5f5d7479cba7")

	keys := IKEKeys{D: make([]byte, 20), AI: make([]byte, 20), AR: make([]byte, 20),
		EI: make([]byte, 16), ER: make([]byte, 16), PI: make([]byte, 20), PR: make([]byte, 20)}
	must(t, keys.Derive(crypto.SHA1, seed, ni, nr, spiI, spiR))
	order := bytes.Join([][]byte{keys.D, keys.AI, keys.AR, keys.EI, keys.ER, keys.PI, keys.PR}, nil)
	wantHex(t, "SK_*", order, derived)

	material := make([]byte, 132)
	must(t, PRFPlus(material, crypto.SHA1, keys.D, ni, nr))
	wantHex(t, "KEYMAT", material, child)
	must(t, RekeySKEYSEED(seed, crypto.SHA1, keys.D, renewed, ni, nr))
	wantHex(t, "rekeyed SKEYSEED", seed, "63e81194946ebd05df7df5ebf5d8750056bf1f1d")
}

// TestOpenSSL compares with what testdata/openssl.sh wrote.
func TestOpenSSL(t *testing.T) {
	file, err := os.Open("testdata/openssl.txt")
	must(t, err)
	defer file.Close()
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); rows++ {
		column := strings.Fields(lines.Text())
		if len(column) != 6 {
			t.Fatalf("%q has %d columns", lines.Text(), len(column))
		}
		got := make([]byte, len(column[5])/2)
		must(t, deriveRow(t, got, column))
		wantHex(t, strings.Join(column[:2], " ")+" "+column[3], got, column[5])
	}
	if rows < 30 {
		t.Errorf("%d rows", rows)
	}
}

func deriveRow(t *testing.T, dst []byte, column []string) error {
	h := map[string]crypto.Hash{"SHA1": crypto.SHA1, "SHA256": crypto.SHA256, "SHA384": crypto.SHA384, "SHA512": crypto.SHA512}[column[1]]
	secret := unhex(t, column[2])
	label := strings.ReplaceAll(column[3], "_", " ")
	context := unhex(t, strings.TrimPrefix(column[4], "-"))
	switch column[0] {
	case "tls13":
		return TLS13.ExpandLabel(dst, h, secret, label, context)
	case "dtls13":
		return DTLS13.ExpandLabel(dst, h, secret, label, context)
	case "prf":
		return PRF(dst, h, secret, label, context)
	case "prf+":
		return PRFPlus(dst, h, secret, context)
	}
	t.Fatalf("no derivation %q", column[0])
	return nil
}
