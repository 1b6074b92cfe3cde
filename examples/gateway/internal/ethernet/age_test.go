package ethernet

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// TestAgeKeepsChecksums that RFC 1071 makes, for every value of a header's word.
func TestAgeKeepsChecksums(t *testing.T) {
	for id := range 1 << 16 {
		p := udp4("10.1.0.9", "10.2.3.4", byte(id>>3), 20)
		p[4], p[5] = byte(id>>8), byte(id)
		p[10], p[11] = 0, 0
		c := slowSum(p)
		p[10], p[11] = byte(c>>8), byte(c)
		ttl, want := p[8], aged(p)
		drop := Age(p)
		switch {
		case ttl <= 1 && drop != record.DropExpired:
			t.Fatalf("TTL %d: %v", ttl, drop)
		case ttl > 1 && (drop != record.DropNone || !bytes.Equal(p, want)):
			t.Fatalf("%x, want %x: %v", p, want, drop)
		}
	}
}

// TestLastCarryCounts in the sum of a header whose words add up to more than 64 bits.
func TestLastCarryCounts(t *testing.T) {
	const word = 0x4500_0014_0000_4000
	if !rightWords(word, 1<<64-1-word, 1<<32-1) || rightWords(word, 1<<64-1-word, 1<<32-2) {
		t.Error("carry lost")
	}
}

func TestAgeRefuses(t *testing.T) {
	options := udp4("10.1.0.9", "10.2.3.4", 64, 28)
	options[0] = 0x47
	options[10], options[11] = 0, 0
	c := slowSum(options)
	options[10], options[11] = byte(c>>8), byte(c)
	if want := aged(options); Age(options) != record.DropNone || !bytes.Equal(options, want) {
		t.Errorf("options: %x, want %x", options, want)
	}
	for bit := range 20 * 8 {
		p := udp4("10.1.0.9", "10.2.3.4", 64, 40)
		p[bit/8] ^= 1 << (bit % 8)
		if p[0]>>4 == 4 && Age(p) != record.DropMalformed {
			t.Errorf("bit %d: a wrong checksum goes on", bit)
		}
	}
	v6 := make([]byte, 40)
	v6[0], v6[7] = 0x60, 2
	if Age(v6) != record.DropNone || v6[7] != 1 || Age(v6) != record.DropExpired {
		t.Errorf("hop limits of IPv6: %x", v6)
	}
}

// aged is a packet behind a router, made anew.
func aged(p []byte) []byte {
	p = bytes.Clone(p)
	p[8]--
	p[10], p[11] = 0, 0
	binary.BigEndian.PutUint16(p[10:], slowSum(p[:int(p[0]&15)*4]))
	return p
}

// udp4 is a packet of UDP's number with a right header checksum.
func udp4(from, to string, limit byte, length int) []byte {
	p := make([]byte, length)
	p[0], p[6], p[8], p[9] = 0x45, 0x40, limit, 17
	binary.BigEndian.PutUint16(p[2:], uint16(length))
	copy(p[12:], netip.MustParseAddr(from).AsSlice())
	copy(p[16:], netip.MustParseAddr(to).AsSlice())
	binary.BigEndian.PutUint16(p[10:], slowSum(p[:20]))
	for i := 20; i < length; i++ {
		p[i] = byte(i)
	}
	return p
}
