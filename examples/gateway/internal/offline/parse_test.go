package offline

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/pion/dtls/v2"
	"github.com/pion/dtls/v2/pkg/protocol"
	"github.com/pion/dtls/v2/pkg/protocol/handshake"
	"github.com/pion/dtls/v2/pkg/protocol/recordlayer"
)

// pionsRecord is a handshake message as pion/dtls writes it.
func pionsRecord(t testing.TB, m handshake.Message) []byte {
	t.Helper()
	r := recordlayer.RecordLayer{
		Header:  recordlayer.Header{Version: protocol.Version1_2},
		Content: &handshake.Handshake{Message: m},
	}
	raw, err := r.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func pionsHellos(t testing.TB) (client, server []byte, random handshake.Random) {
	t.Helper()
	if err := random.Populate(); err != nil {
		t.Fatal(err)
	}
	suite := uint16(dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)
	client = pionsRecord(t, &handshake.MessageClientHello{
		Version: protocol.Version1_2, Random: random, CipherSuiteIDs: []uint16{suite}, Cookie: []byte{1, 2, 3},
		CompressionMethods: []*protocol.CompressionMethod{{}},
	})
	server = pionsRecord(t, &handshake.MessageServerHello{
		Version: protocol.Version1_2, Random: random, SessionID: []byte{9, 9, 9}, CipherSuiteID: &suite,
		CompressionMethod: &protocol.CompressionMethod{},
	})
	return client, server, random
}

func TestHellosOfPion(t *testing.T) {
	client, server, random := pionsHellos(t)
	want := random.MarshalFixed()
	if h, ok := parseHello(client); !ok || h.kind != clientHello || h.random != want {
		t.Errorf("client: %+v, %v", h, ok)
	}
	if h, ok := parseHello(server); !ok || h.kind != serverHello || h.random != want || h.suite != dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 {
		t.Errorf("server: %+v, %v", h, ok)
	}
}

func TestHellosThatAreNone(t *testing.T) {
	client, server, _ := pionsHellos(t)
	change := func(rec []byte, at int, value byte) []byte {
		bad := bytes.Clone(rec)
		bad[at] = value
		return bad
	}
	for name, rec := range map[string][]byte{
		"application data":   change(client, 0, 23),
		"epoch 1":            change(client, 4, 1),
		"another message":    change(client, recordHeader, 11),
		"a later fragment":   change(client, recordHeader+8, 7),
		"session ID past it": change(server, recordHeader+messageHeader+2+randomSize, 255),
	} {
		if _, ok := parseHello(rec); ok {
			t.Errorf("%s: taken for a hello", name)
		}
	}
	for n := range recordHeader + messageHeader + 2 + randomSize {
		if _, ok := parseHello(server[:n]); ok {
			t.Errorf("cut to %d bytes: taken for a hello", n)
		}
	}
}

func FuzzHello(f *testing.F) {
	client, server, _ := pionsHellos(f)
	f.Add(client)
	f.Add(server)
	f.Fuzz(func(t *testing.T, rec []byte) {
		if h, ok := parseHello(rec); ok && h.kind != clientHello && h.kind != serverHello {
			t.Fatalf("kind %d", h.kind)
		}
	})
}

var (
	someRandom = strings.Repeat("0a", randomSize)
	someMaster = strings.Repeat("0b", masterSize)
)

func TestKeyLog(t *testing.T) {
	secrets, err := ReadKeyLog(strings.NewReader("# comment\n\nSERVER_HANDSHAKE_TRAFFIC_SECRET aa bb\nCLIENT_RANDOM " + someRandom + " " + someMaster + "\n"))
	if err != nil || len(secrets) != 1 {
		t.Fatal(secrets, err)
	}
	for random, master := range secrets {
		if random[0] != 10 || master[masterSize-1] != 11 {
			t.Error("the secret is not the one in the log")
		}
	}
}

func TestKeyLogNamesTheLineAndNothingElse(t *testing.T) {
	for _, bad := range []string{
		"CLIENT_RANDOM", "CLIENT_RANDOM " + someRandom, "CLIENT_RANDOM " + someRandom + " " + someMaster[2:],
		"CLIENT_RANDOM " + someRandom + "00 " + someMaster, "CLIENT_RANDOM " + someRandom + " " + someMaster + " x",
		"CLIENT_RANDOM " + someRandom + " " + someMaster[2:] + "xy",
	} {
		_, err := ReadKeyLog(strings.NewReader("\n" + bad))
		if !errors.Is(err, ErrKeyLog) || !strings.HasSuffix(err.Error(), " 2") || strings.Contains(err.Error(), "0b0b") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzKeyLog(f *testing.F) {
	f.Add("CLIENT_RANDOM " + someRandom + " " + someMaster)
	f.Fuzz(func(t *testing.T, log string) {
		if secrets, err := ReadKeyLog(strings.NewReader(log)); err != nil && secrets != nil {
			t.Fatal("secrets beside an error")
		}
	})
}
