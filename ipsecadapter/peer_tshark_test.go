package ipsecadapter

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
)

// TestPeerTshark has tshark decrypt a capture, and check the ICVs, of the transforms that it
// knows.
func TestPeerTshark(t *testing.T) {
	program, err := exec.LookPath("tshark")
	if err != nil {
		peertest.Missing(t, "tshark is not installed")
	}
	var sealed [][]byte
	var want strings.Builder
	args := []string{"-n", "-T", "fields", "-E", "separator=|", "-E", "occurrence=l", "-e", "data.data", "-e", "esp.icv_good",
		"-o", "esp.enable_encryption_decode:TRUE", "-o", "esp.enable_authentication_check:TRUE", "--disable-protocol", "dns"}
	for i, transform := range Transforms() {
		if wiresharkAlgorithms(&Association{Transform: transform, Key: keyOf(transform)}) == "" {
			continue
		}
		for j, w := range ways() {
			if w.carrier == InSocket || w.esn || transform >= firstPair && (i+j)%3 != 0 {
				continue // tshark wants IP, and knows no high half
			}
			a := w.association(transform)
			a.SPI += uint32(len(sealed))
			args = append(args, "-o", "uat:esp_sa:"+wiresharkSA(&w, &a))
			for _, size := range []int{1, 10, 1000} {
				sealed = append(sealed, pairOf(t, a).seal(t, udpPacket(w.inner[0], w.inner[1], pattern(size)))[0].Content())
				fmt.Fprintf(&want, "%x|%s\n", pattern(size), goodICV)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "esp.pcap")
	must(t, os.WriteFile(file, rawCapture(sealed), 0o600))
	got, err := exec.CommandContext(t.Context(), program, append(args, "-r", file)...).Output()
	must(t, err)
	if string(got) != want.String() {
		t.Errorf("tshark says\n%s, want\n%s", got, want.String())
	}
}

// goodICV is how tshark prints a flag that is set.
const goodICV = "1"

// wiresharkSA is a line of Wireshark's esp_sa file.
func wiresharkSA(w *way, a *Association) string {
	family, from := "IPv4", w.outer
	if a.Mode == Transport {
		from = w.inner
	}
	if from[0].Is6() {
		family = "IPv6"
	}
	return fmt.Sprintf(`"%s","%s","%s","0x%08x",%s`, family, from[0], from[1], a.SPI, wiresharkAlgorithms(a))
}

// wiresharkAlgorithms are the last four columns of that line, empty for what tshark 4.0 does not
// decode.
func wiresharkAlgorithms(a *Association) string {
	switch a.Transform {
	case AES128GCM16, AES192GCM16, AES256GCM16:
		return fmt.Sprintf(`"AES-GCM with 16 octet ICV [RFC4106]","0x%x","NULL",""`, a.Key)
	}
	name, auth, _ := strings.Cut(a.Transform.String(), "-")
	cipher, mac := wiresharkCiphers[name], wiresharkMACs[auth]
	if cipher == "" || mac == "" {
		return ""
	}
	n := len(a.Key) - oracleHashes[auth].key
	key := ""
	if n != 0 {
		key = fmt.Sprintf("0x%x", a.Key[:n])
	}
	return fmt.Sprintf(`"%s","%s","%s","0x%x"`, cipher, key, mac, a.Key[n:])
}

var wiresharkCiphers = map[string]string{
	"aes128": "AES-CBC [RFC3602]", "aes192": "AES-CBC [RFC3602]", "aes256": "AES-CBC [RFC3602]",
	"aes128ctr": "AES-CTR [RFC3686]", "aes192ctr": "AES-CTR [RFC3686]", "aes256ctr": "AES-CTR [RFC3686]",
	"3des": "TripleDES-CBC [RFC2451]", "des": "DES-CBC [RFC2405]", "blowfish128": "BLOWFISH-CBC [RFC2451]", "null": "NULL",
}

var wiresharkMACs = map[string]string{
	"sha256": "HMAC-SHA-256-128 [RFC4868]", "sha384": "HMAC-SHA-384-192 [RFC4868]", "sha512": "HMAC-SHA-512-256 [RFC4868]",
	"sha1": "HMAC-SHA-1-96 [RFC2404]", "md5": "HMAC-MD5-96 [RFC2403]",
}

// rawCapture is a pcap file of IP packets without a link layer.
func rawCapture(packets [][]byte) []byte {
	const linkTypeRaw = 101
	b := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	b = append(b, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, 1<<16)
	b = binary.LittleEndian.AppendUint32(b, linkTypeRaw)
	for _, packet := range packets {
		b = append(b, make([]byte, 8)...)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(packet)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(packet)))
		b = append(b, packet...)
	}
	return b
}
