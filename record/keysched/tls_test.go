package keysched

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/tls"
	"encoding/binary"
	"net"
	"strings"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// tap records what one side writes.
type tap struct {
	net.Conn
	sent bytes.Buffer
}

func (c *tap) Write(b []byte) (int, error) {
	c.sent.Write(b)
	return c.Conn.Write(b)
}

// session is a finished TLS connection of crypto/tls, seen from outside.
type session struct {
	client     *tls.Conn
	clientSent []byte
	serverSent []byte
	secrets    map[string][]byte // of the key log, by label
	random     []byte            // of the client
}

// handshake runs one over a pipe; the client then sends "ping".
func handshake(t *testing.T, version, suite uint16) *session {
	t.Helper()
	a, b := net.Pipe()
	client, server := &tap{Conn: a}, &tap{Conn: b}
	defer client.Close()
	defer server.Close()
	var log bytes.Buffer
	cert, _ := peertest.Certificate(t, "localhost")
	config := &tls.Config{MinVersion: version, MaxVersion: version, Certificates: []tls.Certificate{cert}}
	if version == tls.VersionTLS12 {
		config.CipherSuites = []uint16{suite}
	}
	clientConfig := config.Clone()
	clientConfig.InsecureSkipVerify = true // the peer is this test
	clientConfig.KeyLogWriter = &log
	read := make(chan error, 1)
	go func() {
		_, err := tls.Server(server, config).Read(make([]byte, 4))
		read <- err
	}()
	s := &session{client: tls.Client(client, clientConfig), secrets: map[string][]byte{}}
	go func() { // session tickets of TLS 1.3 would block the pipe
		_, _ = s.client.Read(make([]byte, 1))
	}()
	_, err := s.client.Write([]byte("ping"))
	must(t, err)
	must(t, <-read)
	s.clientSent, s.serverSent = client.sent.Bytes(), server.sent.Bytes()
	for line := range strings.Lines(log.String()) {
		field := strings.Fields(line)
		s.secrets[field[0]], s.random = unhex(t, field[2]), unhex(t, field[1])
	}
	return s
}

// lastRecord is the last record of a stream, header included.
func lastRecord(stream []byte) []byte {
	for {
		length := 5 + int(binary.BigEndian.Uint16(stream[3:]))
		if length == len(stream) {
			return stream
		}
		stream = stream[length:]
	}
}

func gcm(t *testing.T, key []byte) cipher.AEAD {
	t.Helper()
	block, err := aes.NewCipher(key)
	must(t, err)
	aead, err := cipher.NewGCM(block)
	must(t, err)
	return aead
}

// TestTLS12AgainstGo opens a record of crypto/tls with our keys, and exports the
// same material.
func TestTLS12AgainstGo(t *testing.T) {
	for _, test := range []struct {
		suite   uint16
		hash    crypto.Hash
		keySize int
	}{
		{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, crypto.SHA256, 16},
		{tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, crypto.SHA384, 32},
	} {
		s := handshake(t, tls.VersionTLS12, test.suite)
		master, serverRandom := s.secrets["CLIENT_RANDOM"], s.serverSent[11:43]
		block := KeyBlock{ClientKey: make([]byte, test.keySize), ServerKey: make([]byte, test.keySize),
			ClientIV: make([]byte, 4), ServerIV: make([]byte, 4)}
		must(t, block.Derive(test.hash, master, s.random, serverRandom))

		record := lastRecord(s.clientSent)
		sequence := binary.BigEndian.AppendUint64(nil, 1) // after Finished
		aad := append(sequence, 23, 3, 3, 0, 4)
		plain, err := gcm(t, block.ClientKey).Open(nil, append(block.ClientIV, record[5:13]...), record[13:], aad)
		if err != nil || string(plain) != "ping" {
			t.Errorf("%v: record opened to %q, %v", test.hash, plain, err)
		}
		compareExporter(t, s, test.hash, master, serverRandom)
	}
}

func compareExporter(t *testing.T, s *session, h crypto.Hash, master, serverRandom []byte) {
	t.Helper()
	state := s.client.ConnectionState()
	for _, context := range [][]byte{nil, {}, []byte("context")} {
		want, err := state.ExportKeyingMaterial("EXPORTER-test", context, 77)
		must(t, err)
		got := make([]byte, 77)
		must(t, Exporter(got, h, master, s.random, serverRandom, "EXPORTER-test", context))
		if !bytes.Equal(got, want) {
			t.Errorf("%v: exporter with context %q = %x, want %x", h, context, got, want)
		}
	}
}

// TestTLS13AgainstGo opens a record of crypto/tls with keys expanded here.
func TestTLS13AgainstGo(t *testing.T) {
	s := handshake(t, tls.VersionTLS13, 0)
	secret := s.secrets["CLIENT_TRAFFIC_SECRET_0"]
	suite := s.client.ConnectionState().CipherSuite
	h, keySize := crypto.SHA256, 32
	switch suite {
	case tls.TLS_AES_128_GCM_SHA256:
		keySize = 16
	case tls.TLS_AES_256_GCM_SHA384:
		h = crypto.SHA384
	}
	key, iv := make([]byte, keySize), make([]byte, 12)
	must(t, TLS13.ExpandLabel(key, h, secret, "key", nil))
	must(t, TLS13.ExpandLabel(iv, h, secret, "iv", nil))
	record := lastRecord(s.clientSent)
	aead := gcm(t, key)
	if suite == tls.TLS_CHACHA20_POLY1305_SHA256 { // what Go prefers on processors without AES
		var err error
		aead, err = chacha20poly1305.New(key)
		must(t, err)
	}
	plain, err := aead.Open(nil, iv, record[5:], record[:5])
	if err != nil || string(plain) != "ping\x17" {
		t.Errorf("record opened to %q, %v", plain, err)
	}
}
