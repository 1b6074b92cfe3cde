package quicadapter

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// appendix is what appendix A of RFC 9001 or RFC 9369 prints. The payloads, the
// connection IDs and the ChaCha20 secret are the same in both.
type appendix struct {
	name    string
	version Version
	client  string // file of A.2's packet
	server  string // file of A.3's packet
	retry   string // A.4
	chacha  string // A.5
}

var appendices = []appendix{
	{
		"RFC 9001", Version1, "rfc9001_client.hex", "rfc9001_server.hex",
		"ff000000010008f067a5502a4262b5746f6b656e04a265ba2eff4d829058fb3f0f2496ba",
		"4cfe4189655e5cd55c41f69080575d7999c25a5bfb",
	},
	{
		"RFC 9369", Version2, "rfc9369_client.hex", "rfc9369_server.hex",
		"cf6b3343cf0008f067a5502a4262b5746f6b656ec8646ce8bfe33952d955543665dcc7b6",
		"5558b1c60ae7b6b932bc27d786f4bc2bb20f2162ba",
	},
}

const (
	clientChoice = "8394c8f03e515708" // the client's first destination connection ID
	serverChoice = "f067a5502a4262b5"
	chachaSecret = "9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b"
	chachaNumber = 654360564
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func readHex(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return unhex(t, string(text))
}

// clientPayload is A.2's CRYPTO frame, padded to 1162 bytes.
func clientPayload(t testing.TB) []byte {
	payload := make([]byte, 1162)
	copy(payload, readHex(t, "client_crypto.hex"))
	return payload
}

func TestAppendixAClientInitial(t *testing.T) {
	for _, a := range appendices {
		t.Run(a.name, func(t *testing.T) {
			l := newLink(t, a.version)
			l.client.spaces[spaceInitial].next = 2
			l.initial(clientChoice)
			p := outgoing(l.client, Initial, clientPayload(t))
			p.Destination, p.NumberSize = unhex(t, clientChoice), 4
			wire := l.seal(p)
			if want := readHex(t, a.client); !bytes.Equal(wire, want) {
				t.Fatalf("sealed\n%x\nnot\n%x", wire, want)
			}
			l.add(l.server, clientChoice)
			l.opens(wire, 2, clientPayload(t))
		})
	}
}

func TestAppendixAServerInitial(t *testing.T) {
	for _, a := range appendices {
		t.Run(a.name, func(t *testing.T) {
			l := newLink(t, a.version)
			l.server.spaces[spaceInitial].next = 1
			l.initial(clientChoice)
			p := outgoing(l.server, Initial, readHex(t, "server_payload.hex"))
			p.Source, p.NumberSize = unhex(t, serverChoice), 2
			wire := l.seal(p)
			if want := readHex(t, a.server); !bytes.Equal(wire, want) {
				t.Fatalf("sealed\n%x\nnot\n%x", wire, want)
			}
			l.add(l.client, "")
			l.opens(wire, 1, readHex(t, "server_payload.hex"))
		})
	}
}

func TestAppendixARetry(t *testing.T) {
	tags := newRetryTags(t)
	for _, a := range appendices {
		want := unhex(t, a.retry)
		got, err := tags.Append(nil, a.version, unhex(t, clientChoice), nil, unhex(t, serverChoice), []byte("token"))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: made %x, %v, not %x", a.name, got, err, want)
		}
		if !tags.Valid(unhex(t, clientChoice), want) {
			t.Errorf("%s: the tag is refused", a.name)
		}
	}
}

// The mask follows the suite: an AES mask would not give these bytes.
func TestAppendixAChaCha20ShortHeader(t *testing.T) {
	for _, a := range appendices {
		t.Run(a.name, func(t *testing.T) {
			l := newLink(t, a.version)
			for _, c := range []*Conn{l.client, l.server} {
				s := &c.spaces[spaceApplication]
				s.next, s.acked = chachaNumber, chachaNumber-70000 // so that three bytes are the shortest form
			}
			l.both(OneRTT, ChaCha20Poly1305, unhex(t, chachaSecret))
			wire := l.seal(outgoing(l.client, OneRTT, []byte{1}))
			if want := unhex(t, a.chacha); !bytes.Equal(wire, want) {
				t.Fatalf("sealed %x, not %x", wire, want)
			}
			heard(l.server, chachaNumber-1)
			l.add(l.server, "")
			l.opens(wire, chachaNumber, []byte{1})
		})
	}
}

func newRetryTags(t testing.TB) *RetryTags {
	t.Helper()
	tags, err := NewRetryTags(newEngine(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tags.Close)
	return tags
}
