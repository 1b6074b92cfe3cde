//go:build dpdk

package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// espGCM is Go's own AES-GCM under a key with its salt (RFC 4106).
func espGCM(t *testing.T, key string) (aead cipher.AEAD, salt []byte) {
	t.Helper()
	material, err := hex.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher(material[:16])
	if err != nil {
		t.Fatal(err)
	}
	if aead, err = cipher.NewGCM(block); err != nil {
		t.Fatal(err)
	}
	return aead, material[16:20:20]
}

// openESP opens an ESP packet.
func openESP(t *testing.T, key string, esp []byte) []byte {
	t.Helper()
	aead, salt := espGCM(t, key)
	plain, err := aead.Open(nil, append(salt, esp[8:16]...), esp[16:], esp[:8])
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// sealESP makes a frame to the gateway.
func sealESP(t *testing.T, key string, spi, number uint32, inner []byte) []byte {
	t.Helper()
	aead, salt := espGCM(t, key)
	esp := binary.BigEndian.AppendUint64(nil, uint64(spi)<<32|uint64(number))
	esp = binary.BigEndian.AppendUint64(esp, uint64(number)+1000) // the IV
	pad := (2 - len(inner)) & 3
	plain := append(append(bytes.Clone(inner), []byte{1, 2, 3}[:pad]...), byte(pad), 4)
	esp = aead.Seal(esp, append(salt, esp[8:16]...), plain, bytes.Clone(esp[:8]))
	return toGateway(2, ofIPv4, plainIPv4(20+len(esp), func(p []byte) {
		p[9] = 50
		copy(p[12:], []byte{192, 0, 2, 2, 192, 0, 2, 1})
		copy(p[20:], esp)
	}))
}

const manySAs = 10_000

func keyOfSA(i int) string { return fmt.Sprintf("%040x", i) }

// saFileOfMany has an SA for each peer, of either end.
func saFileOfMany(t *testing.T, way string, behind func(i int) string) string {
	t.Helper()
	var file strings.Builder
	for i := range manySAs {
		fmt.Fprintf(&file, "%s peer=p%d spi=%d transform=aes128gcm16 key=%s from=192.0.2.1 to=192.0.2.2 behind=%s/32\n", way, i, 1000+i, keyOfSA(i), behind(i))
	}
	return write(t, way+".sa", []byte(file.String()))
}

// TestTenThousandSAsOnDPDK seal for ten thousand peers, and Go's own AES-GCM opens it. Another
// gateway opens it too, and knows what comes once more.
func TestTenThousandSAsOnDPDK(t *testing.T) {
	gateway, dir := dpdkBinary(t), t.TempDir()
	empty, out, back := record(t, "empty.pcap"), filepath.Join(dir, "out.pcap"), filepath.Join(dir, "back.pcap")
	var plain [][]byte
	for i := range manySAs {
		plain = append(plain, plainIPv4(60, func(p []byte) { copy(p[12:], []byte{198, 18, 0, 1, 10, byte(i >> 16), byte(i >> 8), byte(i)}) }))
	}
	sa := saFileOfMany(t, "out", func(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255) })
	sum := onDPDK(t, gateway, wire(pcapDevice(0, record(t, "in.pcap", plain...), "/dev/null"), pcapDevice(1, empty, out), sa)...)
	sum.Out.account(t, "plain", manySAs, manySAs, nil)
	sealed := packets(t, out)
	if len(sealed) != manySAs {
		t.Fatalf("%d packets", len(sealed))
	}
	for i, p := range sealed {
		if got := openESP(t, keyOfSA(i), p[20:]); !bytes.Equal(got[:60], plain[i]) {
			t.Fatalf("SA %d: %x", i, got)
		}
	}

	sa = saFileOfMany(t, "in", func(int) string { return "198.18.0.1" })
	twice := record(t, "twice.pcap", append(sealed, sealed...)...)
	sum = onDPDK(t, gateway, wire(pcapDevice(0, empty, back), pcapDevice(1, twice, "/dev/null"), sa)...)
	sum.In.account(t, "protected", 2*manySAs, manySAs, map[string]uint64{"replayed": manySAs})
	samePackets(t, packets(t, back), plain)
}
