package ipsecadapter

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"testing"
	"testing/cryptotest"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

// Pairs that many tests have; the first two are for AH.
var (
	sha1Alone   = EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA1)
	sha256Alone = EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA256)
	aesSHA256   = EncryptThenMAC(ciphers.AES128CBC, ciphers.HMACSHA256)
	nullSHA1    = EncryptThenMAC(ciphers.NullEncryption, ciphers.HMACSHA1)
)

// TestCaseCBCPaddingSent has a 5-byte payload, behind which 9 bytes of padding fill a block.
func TestCaseCBCPaddingSent(t *testing.T) {
	for _, c := range []struct {
		transform Transform
		padding   int
	}{{aesSHA256, 9}, {EncryptThenMAC(ciphers.TripleDESCBC, ciphers.HMACSHA1), 1}, {EncryptThenMAC(ciphers.AES256CTR, ciphers.HMACSHA512), 1}} {
		a := association4(c.transform)
		a.Mode = Transport
		sealed := pairOf(t, a).seal(t, ipPacket(host4[0], host4[1], 200, []byte("12345")))[0].Content()
		body, err := newOracle(t, &a).open(sealed[20:], 1)
		must(t, err)
		want := []byte("12345")
		for i := range c.padding {
			want = append(want, byte(i+1))
		}
		if want = append(want, byte(c.padding), 200); !bytes.Equal(body, want) {
			t.Errorf("%v: body %x, want %x", c.transform, body, want)
		}
	}
}

// TestCaseCBCWholeBlocks refuses what is no multiple of a block before anything is computed.
func TestCaseCBCWholeBlocks(t *testing.T) {
	for _, transform := range Transforms() {
		align := transform.traits().align
		for _, more := range []int{1, 2, 3, 4, 7, 8, 12, 15} {
			a := association4(transform)
			p := pairOf(t, a)
			esp := newOracle(t, &a).esp(1, 1, udpPacket(host4[0], host4[1], pattern(3)), 4, 0)
			want := record.DropMalformed
			if more%align == 0 {
				want = record.DropUnauthentic
			}
			if d := p.open(outerPacket(gateway4[0], gateway4[1], false, append(esp, make([]byte, more)...))); d.Drop != want {
				t.Errorf("%v, %d bytes more: %v, want %v", transform, more, d.Drop, want)
			}
		}
	}
}

// TestCaseCBCSecondIV has two packets with an injected random source: the second IV is neither
// the first one's encryption nor the last block of ciphertext, nor anything else that the
// first packet shows.
func TestCaseCBCSecondIV(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	a := association4(aesSHA256)
	p := pairOf(t, a)
	packet := udpPacket(host4[0], host4[1], pattern(100))
	burst := p.seal(t, packet, packet)
	first, second := burst[0].Content()[20:], burst[1].Content()[20:]
	b, err := aes.NewCipher(a.Key[:16])
	must(t, err)
	encrypted := make([]byte, 16)
	b.Encrypt(encrypted, first[8:24])
	iv := second[8:24]
	if bytes.Equal(iv, encrypted) || bytes.Contains(first, iv) || bytes.Equal(first[24:40], second[24:40]) {
		t.Errorf("second IV %x, first packet %x", iv, first)
	}
	if next := binary.BigEndian.Uint64(first[16:24]) + 1; binary.BigEndian.Uint64(iv[8:]) == next {
		t.Errorf("IVs count: %x, %x", first[8:24], iv)
	}
}

// TestCaseIVsAreFresh wants no IV of a CBC transform twice, in one burst and over bursts.
func TestCaseIVsAreFresh(t *testing.T) {
	for _, e := range []ciphers.Encryption{ciphers.AES128CBC, ciphers.AES256CBC, ciphers.TripleDESCBC, ciphers.DESCBC, ciphers.BlowfishCBC} {
		p := pairOf(t, association4(EncryptThenMAC(e, ciphers.HMACSHA1)))
		seen := map[string]bool{}
		packets := make([][]byte, 100)
		for i := range packets {
			packets[i] = udpPacket(host4[0], host4[1], nil)
		}
		for range 3 {
			for _, d := range p.seal(t, packets...) {
				iv := string(d.Content()[28:][:p.sender.traits.iv])
				if seen[iv] {
					t.Fatalf("%v: IV %x twice", p.sender.traits.name, iv)
				}
				seen[iv] = true
			}
		}
	}
}

// TestCaseHMACSHA256ICV is as long as RFC 4868 says, and so are the others.
func TestCaseHMACSHA256ICV(t *testing.T) {
	for i, want := range map[ciphers.Integrity]int{
		ciphers.HMACSHA256: 16, ciphers.HMACSHA384: 24, ciphers.HMACSHA512: 32, ciphers.HMACSHA1: 12, ciphers.HMACMD5: 12,
	} {
		transform := EncryptThenMAC(ciphers.NullEncryption, i)
		a := association4(transform)
		a.Mode = Transport
		sealed := pairOf(t, a).seal(t, ipPacket(host4[0], host4[1], 200, pattern(10)))[0]
		if got := sealed.Len - 20 - 8 - 12; got != want || transform.ICVSize() != want {
			t.Errorf("%v: ICV of %d bytes, want %d", transform, got, want)
		}
	}
}

// TestCaseAHLength has a 12-byte ICV: a length field of 4 and 24 bytes. The others are longer,
// and rounded up over IPv6.
func TestCaseAHLength(t *testing.T) {
	for _, c := range []struct {
		transform    Transform
		size4, size6 int
	}{
		{sha1Alone, 24, 24}, {EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACMD5), 24, 24}, {sha256Alone, 28, 32},
		{EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA384), 36, 40},
		{EncryptThenMAC(ciphers.IntegrityOnly, ciphers.HMACSHA512), 44, 48}, {AES128GMAC, 36, 40},
	} {
		for _, hosts := range [][]byte{udpPacket(host4[0], host4[1], nil), udpPacket(host6[0], host6[1], nil)} {
			a := Association{Protocol: AH, SPI: 4711, Transform: c.transform, Key: keyOf(c.transform), Mode: Transport}
			sealed := pairOf(t, a).seal(t, hosts)[0].Content()
			at, size := 20, c.size4
			if sealed[0]>>4 == 6 {
				at, size = 40, c.size6
			}
			if got := len(sealed) - len(hosts); got != size || int(sealed[at+1]) != size/4-2 {
				t.Errorf("%v, IPv%d: AH of %d bytes, length field %d", c.transform, sealed[0]>>4, got, sealed[at+1])
			}
		}
	}
}

// TestCaseAHOptionsEnd has an IPv4 header of 24 bytes with an end-of-options byte and rubbish
// behind it, some of which would be an option that does not end.
func TestCaseAHOptionsEnd(t *testing.T) {
	for _, options := range [][]byte{{0, 7, 0, 0}, {0, 255, 255, 255}, {1, 0, 131, 2}, {0, 0, 0, 0}, {148, 4, 0, 0, 0, 1, 7, 200}} {
		for _, transform := range AHTransforms() {
			a := Association{Protocol: AH, SPI: 4711, Transform: transform, Key: keyOf(transform), Mode: Transport}
			o, p := newOracleAH(t, &a), pairOf(t, a)
			packet := withOptions(udpPacket(host4[0], host4[1], pattern(9)), options)
			sealed := p.seal(t, packet)[0].Content()
			if _, _, err := o.check(sealed, 20+len(options), 1); err != nil {
				t.Errorf("%v, options %x: %v", transform, options, err)
			}
			if d := p.open(o.put(packet, 20+len(options), 9, 2)); d.Drop != record.DropNone || !bytes.Equal(d.Content(), packet) {
				t.Errorf("%v, options %x: %v", transform, options, d.Drop)
			}
		}
	}
}

// TestCaseAHTransportUDP has a 28-byte UDP packet, IPv4 and IPv6.
func TestCaseAHTransportUDP(t *testing.T) {
	for _, packet := range [][]byte{udpPacket(host4[0], host4[1], nil), udpPacket(host6[0], host6[1], nil)} {
		for _, transform := range AHTransforms() {
			a := Association{Protocol: AH, SPI: 4711, Transform: transform, Key: keyOf(transform), Mode: Transport}
			p := pairOf(t, a)
			sealed := p.seal(t, packet)[0].Content()
			checkLengths(t, "sealed", sealed)
			next := map[byte]int{4: 9, 6: 6}[packet[0]>>4]
			if sealed[next] != 51 {
				t.Errorf("%v: protocol %d", transform, sealed[next])
			}
			d := p.open(sealed)
			checkLengths(t, "opened", d.Content())
			if d.Drop != record.DropNone || !bytes.Equal(d.Content(), packet) {
				t.Errorf("%v: %v: %x, want %x", transform, d.Drop, d.Content(), packet)
			}
		}
	}
}

// TestCaseAHFlippedBits flips a bit of the SPI to that of another SA with the same key.
func TestCaseAHFlippedBits(t *testing.T) {
	for _, transform := range AHTransforms() {
		a := association4(transform)
		a.Protocol = AH
		p := pairOf(t, a)
		a.SPI ^= 1
		other, err := NewInboundSA(newEngine(t), InboundConfig{Association: a})
		must(t, err)
		must(t, p.db.Add(other))
		packet := p.seal(t, udpPacket(host4[0], host4[1], pattern(9)))[0].Content()
		packet[27] ^= 1
		if d := p.open(packet); d.Drop != record.DropUnauthentic {
			t.Errorf("%v: %v", transform, d.Drop)
		}
	}
}
