package ipsecadapter

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	must(t, err)
	return b
}

// TestVectorRFC7634 is appendix A of RFC 7634: an ICMP packet in tunnel mode.
func TestVectorRFC7634(t *testing.T) {
	key := unhex(t, `80818283 84858687 88898a8b 8c8d8e8f 90919293 94959697 98999a9b 9c9d9e9f a0a1a2a3`)
	packet := unhex(t, `45000054 a6f20000 4001e778 c6336405 c0000205 08005b7a 3a080000 553bec10 00073627
		08090a0b 0c0d0e0f 10111213 14151617 18191a1b 1c1d1e1f 20212223 24252627 28292a2b 2c2d2e2f 30313233 34353637`)
	esp := unhex(t, `01020304 00000005 10111213 14151617
		24039428 b97f417e 3c13753a 4f05087b 67c352e6 a7fab1b9 82d466ef 407ae5c6 14ee8099 d52844eb 61aa95df
		ab4c02f7 2aa71e7c 4c4f64c9 befe2fac c638e8f3 cbec163f ac469b50 2773f6fb 94e664da 9165b828 29f641e0
		76aaa826 6b7fb0f7 b11b3699 07e1ad43`)
	a := Association{SPI: 0x01020304, Transform: ChaCha20Poly1305, Key: key, Mode: Tunnel, Source: gateway4[0], Destination: gateway4[1]}
	d := pairOf(t, a).open(outerPacket(gateway4[0], gateway4[1], false, esp))
	if d.Drop != record.DropNone || !bytes.Equal(d.Content(), packet) {
		t.Errorf("%v: %x, want %x", d.Drop, d.Content(), packet)
	}
}

// TestVectorGCMWithESN is the first ESP packet of draft-mcgrew-gcm-test-01: its associated
// data hold 64 bits of sequence number.
func TestVectorGCMWithESN(t *testing.T) {
	key := unhex(t, "4c80cdefbb5d10da906ac73c3613a634 2e443b68")
	esp := unhex(t, `00004321 00000000 4956ed7e3b244cfe
		fecf537e 729d5b07 dc30df52 8dd22b76 8d1b9873 6696a6fd 348509fa 13ceac34 cfa2436f 14a3f3cf 65925bf1
		f4a13c5d 15b21e18 84f5ff62 47aeabb7 86b93bce 61bc17d7 68fd9732 45901814 8f6cbe72 2fd04796 562dfdb4`)
	want := unhex(t, `45000048 699a0000 80114db7 c0a80102 c0a80101 0a9bf156 38d30100 00010000 00000000 045f7369
		70045f75 64700373 69700963 79626572 63697479 02646b00 00210001 01020201`)
	a := association{spi: 0x4321, esn: true, varies: true, traits: AES128GCM16.traits(), lead: 16, tag: 16}
	var err error
	a.key, err = a.traits.newKey(newEngine(t), key, ciphers.Opening, true)
	must(t, err)
	packets := make([]engine.Packet, 1)
	body := len(esp) - 16 - 16
	a.describe(&packets[0], new([prefixSize]byte), esp, 0x8765432100000000, 0x4956ed7e3b244cfe, body)
	if n := newEngine(t).Open(packets); n != 1 || !bytes.Equal(esp[16:16+body], want) {
		t.Errorf("%v: %x, want %x", packets[0].Status, esp[16:16+body], want)
	}
}
