package ipsecadapter

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/record"
)

// scapy is a running testdata/scapy_esp.py.
type scapy struct {
	in  *json.Encoder
	out *bufio.Scanner
}

// systemPython is Debian's, which has Debian's scapy.
const systemPython = "/usr/bin/python3"

func newScapy(t *testing.T) *scapy {
	t.Helper()
	if err := exec.Command(systemPython, "-c", "import scapy.layers.ipsec, cryptography").Run(); err != nil {
		peertest.Missing(t, "Debian's python3-scapy and python3-cryptography are not installed")
	}
	command := exec.CommandContext(t.Context(), systemPython, "testdata/scapy_esp.py")
	command.Stderr, command.WaitDelay = os.Stderr, 5*time.Second
	in, err := command.StdinPipe()
	must(t, err)
	out, err := command.StdoutPipe()
	must(t, err)
	must(t, command.Start())
	t.Cleanup(func() {
		in.Close()
		_ = command.Wait()
	})
	return &scapy{json.NewEncoder(in), bufio.NewScanner(out)}
}

// scapyTask is what testdata/scapy_esp.py reads.
type scapyTask struct {
	Op        string   `json:"op"`
	Protocol  string   `json:"protocol"`
	Algorithm string   `json:"algorithm"`
	Key       string   `json:"key"`
	Auth      string   `json:"auth"`
	AuthKey   string   `json:"auth_key"`
	ICV       int      `json:"icv"`
	SPI       uint32   `json:"spi"`
	Seq       uint32   `json:"seq"`
	ESN       *uint32  `json:"esn"`
	Tunnel    []string `json:"tunnel"`
	NATT      bool     `json:"natt"`
	Packet    string   `json:"packet"`
}

func (s *scapy) run(t *testing.T, task scapyTask) []byte {
	t.Helper()
	must(t, s.in.Encode(task))
	if !s.out.Scan() {
		t.Fatalf("scapy ended: %v", s.out.Err())
	}
	var answer struct{ Packet, Error string }
	must(t, json.Unmarshal(s.out.Bytes(), &answer))
	if answer.Error != "" {
		t.Fatalf("scapy: %s on %+v", answer.Error, task)
	}
	packet, err := hex.DecodeString(answer.Packet)
	must(t, err)
	return packet
}

// scapyNames are what the transforms are called there. Scapy 2.5 has those in capitals; the
// others are its framing with the primitives of python3-cryptography.
var scapyNames = map[Transform]string{
	AES128GCM16: "AES-GCM", AES192GCM16: "AES-GCM", AES256GCM16: "AES-GCM",
	AES128CCM8: "AES-CCM", AES128CCM12: "AES-CCM", AES128CCM16: "AES-CCM",
	AES256CCM8: "AES-CCM", AES256CCM12: "AES-CCM", AES256CCM16: "AES-CCM",
	ChaCha20Poly1305: "CHACHA20-POLY1305",
	AES128GCM8:       "GCM with short tags", AES192GCM8: "GCM with short tags", AES256GCM8: "GCM with short tags",
	AES128GCM12: "GCM with short tags", AES192GCM12: "GCM with short tags", AES256GCM12: "GCM with short tags",
	AES128GCM16IIV: "GCM with implicit IV", AES192GCM16IIV: "GCM with implicit IV", AES256GCM16IIV: "GCM with implicit IV",
	AES128GMAC: "GMAC", AES192GMAC: "GMAC", AES256GMAC: "GMAC",
	ChaCha20Poly1305IIV: "ChaCha20 with implicit IV", AES128CCM8IIV: "CCM with implicit IV", AES256CCM8IIV: "CCM with implicit IV",
}

// scapyCiphers and scapyHashes are the parts of pairs.
var scapyCiphers = map[string]string{
	"aes128": "AES-CBC", "aes192": "AES-CBC", "aes256": "AES-CBC", "aes128ctr": "AES-CTR", "aes192ctr": "AES-CTR",
	"aes256ctr": "AES-CTR", "3des": "3DES", "des": "DES", "blowfish128": "Blowfish", "null": "NULL",
}

var scapyHashes = map[string]string{
	"sha256": "SHA2-256-128", "sha384": "SHA2-384-192", "sha512": "SHA2-512-256", "sha1": "HMAC-SHA1-96", "md5": "HMAC-MD5-96",
	"aes128gmac": "GMAC", "aes192gmac": "GMAC", "aes256gmac": "GMAC",
}

func scapyTaskOf(a *Association, number uint64, packet []byte) scapyTask {
	task := scapyTask{Protocol: a.Protocol.String(), SPI: a.SPI, Seq: uint32(number), NATT: a.Carrier == InUDP,
		Packet: hex.EncodeToString(packet)}
	name, auth, pair := strings.Cut(a.Transform.String(), "-")
	switch {
	case a.Protocol == AH:
		task.Auth, task.AuthKey = scapyHashes[name], hex.EncodeToString(a.Key)
	case pair:
		n := len(a.Key) - oracleHashes[auth].key
		task.Algorithm, task.Auth = scapyCiphers[name], scapyHashes[auth]
		task.Key, task.AuthKey = hex.EncodeToString(a.Key[:n]), hex.EncodeToString(a.Key[n:])
	default:
		task.Algorithm, task.Key, task.ICV = scapyNames[a.Transform], hex.EncodeToString(a.Key), a.Transform.ICVSize()
	}
	if a.ESN {
		high := uint32(number >> 32)
		task.ESN = &high
	}
	if a.Mode == Tunnel {
		task.Tunnel = []string{a.Source.String(), a.Destination.String()}
	}
	return task
}

// TestPeerScapy has scapy open what every transform sealed on every way, and opens what
// scapy sealed. Scapy is slow: each way has one of the sizes.
func TestPeerScapy(t *testing.T) {
	peer := newScapy(t)
	for i, transform := range Transforms() {
		for j, w := range ways() {
			if w.carrier == InSocket {
				continue // scapy writes the IP header too
			}
			a := w.association(transform)
			size := []int{0, 9, 200}[(i+j)%3]
			packet := udpPacket(w.inner[0], w.inner[1], pattern(size))
			name := fmt.Sprintf("%v, %s, %d bytes", transform, w.name, size)
			scapyOpens(t, peer, name, a, packet)
			scapySeals(t, peer, name, a, packet)
		}
	}
}

func scapyOpens(t *testing.T, peer *scapy, name string, a Association, packet []byte) {
	t.Helper()
	number := uint64(77)
	if a.ESN {
		number = 5<<32 + 77
	}
	p := newPair(t, OutboundConfig{Association: a, First: number}, InboundConfig{Association: a})
	task := scapyTaskOf(&a, number, p.seal(t, packet)[0].Content())
	task.Op = "open"
	got := peer.run(t, task)
	if a.Mode == Transport && a.Carrier == InUDP && got[0]>>4 == 6 {
		got = removeUDP(got)
	}
	if !bytes.Equal(got, packet) {
		t.Errorf("%s: scapy opened\n%x, want\n%x", name, got, packet)
	}
}

func scapySeals(t *testing.T, peer *scapy, name string, a Association, packet []byte) {
	t.Helper()
	p := pairOf(t, a)
	number := uint64(3)
	if a.ESN {
		number = moveWindow(t, p, a)
	}
	task := scapyTaskOf(&a, number, packet)
	task.Op = "seal"
	sealed := peer.run(t, task)
	if a.Carrier == InUDP {
		repairUDP(t, sealed)
	}
	d := p.open(sealed)
	if d.Drop != record.DropNone || !bytes.Equal(d.Content(), packet) {
		t.Errorf("%s: scapy's packet gives %v:\n%x, want\n%x", name, d.Drop, d.Content(), packet)
	}
}

// moveWindow brings a receiver to the end of the first 2^32 numbers, so that a low
// number of the peer's means one of the next.
func moveWindow(t *testing.T, p *pair, a Association) (next uint64) {
	t.Helper()
	sender, err := NewOutboundSA(newEngine(t), OutboundConfig{Association: a, First: 1<<31 - 1})
	must(t, err)
	for range 2 { // 2^31 apart: further than that is taken for the past
		host := host4
		if a.Mode == Transport && a.Source.Is6() {
			host = host6
		}
		q := &pair{out: p.out, sender: sender}
		if d := p.open(q.seal(t, udpPacket(host[0], host[1], nil))[0].Content()); d.Drop != record.DropNone {
			t.Fatalf("moving the window: %v", d.Drop)
		}
		sender, err = NewOutboundSA(newEngine(t), OutboundConfig{Association: a, First: 1<<32 - 2})
		must(t, err)
	}
	return 1<<32 + 3
}

// removeUDP takes away the UDP header of the encapsulation, which scapy 2.5 leaves in
// what it opens in transport mode over IPv6.
func removeUDP(packet []byte) []byte {
	packet = append(packet[:40], packet[48:]...)
	binary.BigEndian.PutUint16(packet[4:], uint16(len(packet)-40))
	return packet
}

// repairUDP writes the UDP length, which scapy 2.5 leaves at 8.
func repairUDP(t *testing.T, packet []byte) {
	t.Helper()
	udp := packet[20:]
	if packet[0]>>4 == 6 {
		udp = packet[40:]
	}
	if binary.BigEndian.Uint16(udp[4:]) == 8 {
		binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
	}
}
