package dataplane

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// TestAgeKeepsChecksums that RFC 1071 makes, for every value of a header's word.
func TestAgeKeepsChecksums(t *testing.T) {
	for id := range 1 << 16 {
		p := ipv4("10.1.0.9", "10.2.3.4", byte(id>>3), 20)
		p[4], p[5] = byte(id>>8), byte(id)
		p[10], p[11] = 0, 0
		c := checksum(p)
		p[10], p[11] = byte(c>>8), byte(c)
		ttl, want := p[8], aged(p)
		drop := age(p)
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
	options := ipv4("10.1.0.9", "10.2.3.4", 64, 28)
	options[0] = 0x47
	options[10], options[11] = 0, 0
	c := checksum(options)
	options[10], options[11] = byte(c>>8), byte(c)
	if want := aged(options); age(options) != record.DropNone || !bytes.Equal(options, want) {
		t.Errorf("options: %x, want %x", options, want)
	}
	for bit := range 20 * 8 {
		p := ipv4("10.1.0.9", "10.2.3.4", 64, 40)
		p[bit/8] ^= 1 << (bit % 8)
		if p[0]>>4 == 4 && age(p) != record.DropMalformed {
			t.Errorf("bit %d: a wrong checksum goes on", bit)
		}
	}
	if p := ipv6("2001:db8::1", "2001:db8::2", 1, 40); age(p) != record.DropExpired {
		t.Error("hop limit 1")
	}
}
