package ipsecadapter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
)

func TestCaseReservedSPIs(t *testing.T) {
	e := newEngine(t)
	for _, spi := range []uint32{0, 1, 2, 128, 255} {
		a := association4(AES128GCM16)
		a.SPI = spi
		_, err := NewOutboundSA(e, OutboundConfig{Association: a})
		wantField(t, err, "SPI")
		_, err = NewInboundSA(e, InboundConfig{Association: a})
		wantField(t, err, "SPI")
		a.Protocol, a.Transform = AH, AES128GMAC
		_, err = NewInboundSA(e, InboundConfig{Association: a})
		wantField(t, err, "SPI")
	}
	a := association4(AES128GCM16)
	a.SPI = 256
	p := pairOf(t, a)
	if d := p.open(p.seal(t, udpPacket(host4[0], host4[1], nil))[0].Content()); d.Drop != record.DropNone {
		t.Errorf("SPI 256: %v", d.Drop)
	}
}

func wantField(t *testing.T, err error, field string) {
	t.Helper()
	var refusal *FieldError
	if !errors.As(err, &refusal) || refusal.Field != field || !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), field) {
		t.Errorf("error %v, want a refusal of %s", err, field)
	}
}

// TestCaseNullEncryptionWithoutIntegrity wants every transform to authenticate, and no
// other to be had.
func TestCaseNullEncryptionWithoutIntegrity(t *testing.T) {
	for _, transform := range Transforms() {
		if transform.ICVSize() < 8 {
			t.Errorf("%v has an ICV of %d bytes", transform, transform.ICVSize())
		}
	}
	for _, e := range []ciphers.Encryption{ciphers.NullEncryption, ciphers.AES128CBC, 0, 99} {
		for _, i := range []ciphers.Integrity{0, 99} {
			if transform := EncryptThenMAC(e, i); transform.Valid() {
				t.Errorf("encryption %d with integrity %d is %v", e, i, transform)
			}
		}
	}
	for _, name := range []string{"", "null", "none", "null-", "null-none", "aes128", "-sha256", "aes128-none"} {
		if transform, err := ParseTransform(name); !errors.Is(err, ErrConfig) {
			t.Errorf("%q is %v", name, transform)
		} else if !strings.Contains(err.Error(), AES128GCM16.String()) || !strings.Contains(err.Error(), "Transforms lists them") {
			t.Errorf("%q: %v does not say what is one", name, err)
		}
	}
	a := association4(AES128GCM16)
	a.Transform, a.Key = 0, nil
	_, err := NewOutboundSA(newEngine(t), OutboundConfig{Association: a})
	wantField(t, err, "Transform")
}

// TestCasePadding sends bodies that only a peer with the key can make.
func TestCasePadding(t *testing.T) {
	packet := udpPacket(host4[0], host4[1], []byte("12345")) // 33 bytes
	body := func(padding []byte, length int) []byte {
		return append(append(append([]byte(nil), packet...), padding...), byte(length), 4)
	}
	for _, c := range []struct {
		name string
		body []byte
		want record.Drop
	}{
		{"1", body([]byte{1}, 1), record.DropNone},
		{"1 to 5", body([]byte{1, 2, 3, 4, 5}, 5), record.DropNone},
		{"zeros", body([]byte{0, 0, 0, 0, 0}, 5), record.DropMalformed},
		{"last byte wrong", body([]byte{1, 2, 3, 4, 6}, 5), record.DropMalformed},
		{"first byte wrong", body([]byte{9, 2, 3, 4, 5}, 5), record.DropMalformed},
		{"from 0", body([]byte{0, 1, 2, 3, 4}, 5), record.DropMalformed},
		{"as long as the payload", body([]byte{1}, 34), record.DropMalformed},
		{"past the payload", body([]byte{1}, 35), record.DropMalformed},
		{"far past the payload", body([]byte{1}, 255), record.DropMalformed},
		{"trailer alone", []byte{1, 2, 2, 59}, record.DropDummy},
		{"trailer alone, too long", []byte{1, 2, 3, 59}, record.DropMalformed},
	} {
		for _, transform := range []Transform{AES128GCM16, AES128GMAC, AES256CCM8, aesSHA256, EncryptThenMAC(ciphers.DESCBC, ciphers.HMACMD5)} {
			a := association4(transform)
			p := pairOf(t, a)
			esp := newOracle(t, &a).raw(1, 99, widened(c.body, transform.traits().align))
			if d := p.open(outerPacket(gateway4[0], gateway4[1], false, esp)); d.Drop != c.want {
				t.Errorf("%s, %v: %v, want %v", c.name, transform, d.Drop, c.want)
			}
		}
	}
}

// widened puts bytes in front of a packet's payload until the body is whole blocks, which a bad
// trailer stays bad behind.
func widened(body []byte, align int) []byte {
	more := (align - len(body)%align) % align
	if body[0]>>4 != 4 {
		return append(make([]byte, more), body...)
	}
	wide := append(append(bytes.Clone(body[:28]), make([]byte, more)...), body[28:]...)
	binary.BigEndian.PutUint16(wide[2:], uint16(33+more))
	return wide
}

func TestCasePaddingOf0To255Bytes(t *testing.T) {
	paddings(t, ChaCha20Poly1305)
	paddings(t, aesSHA256)
}

func paddings(t *testing.T, transform Transform) {
	a := association4(transform)
	p := pairOf(t, a)
	o := newOracle(t, &a)
	number := uint64(0)
	for length := range o.align { // with as many bytes already, less one block
		packet := udpPacket(host4[0], host4[1], pattern(length))
		for more := 0; o.align*(more+1) <= 256; more++ {
			number++
			d := p.open(outerPacket(gateway4[0], gateway4[1], false, o.esp(number, number, packet, 4, more)))
			if d.Drop != record.DropNone || !bytes.Equal(d.Content(), packet) {
				t.Fatalf("%d and %d bytes more: %v", length, more, d.Drop)
			}
		}
	}
}

// TestCasePadTo4NotTo16 has a 10-byte payload under RFC 4106 with a 16-byte ICV: 8 of
// header, 8 of IV, 10, 2 of trailer and 16 make 44.
func TestCasePadTo4NotTo16(t *testing.T) {
	a := association4(AES128GCM16)
	a.Mode = Transport
	p := pairOf(t, a)
	d := p.seal(t, ipPacket(host4[0], host4[1], 200, pattern(10)))[0]
	if got := d.Len - 20; got != 44 {
		t.Errorf("ESP packet of %d bytes, want 44", got)
	}
}

func TestCaseFlippedBits(t *testing.T) {
	for _, transform := range Transforms() {
		p := pairOf(t, association4(transform))
		good := p.seal(t, udpPacket(host4[0], host4[1], pattern(9)))[0].Content()
		for at := 20; at < len(good); at++ {
			bad := bytes.Clone(good)
			bad[at] ^= 0x10
			d := p.open(bad)
			if want := flippedCause(at); d.Drop != want {
				t.Errorf("%v, byte %d: %v, want %v", transform, at, d.Drop, want)
			}
			if d.Drop == record.DropUnauthentic && transform.IVSize() == 8 {
				wantZero(t, transform, d.Content()[36:len(good)-transform.ICVSize()])
			}
		}
		if d := p.open(good); d.Drop != record.DropNone {
			t.Errorf("%v: afterwards %v", transform, d.Drop)
		}
	}
}

func flippedCause(at int) record.Drop {
	if at < 24 {
		return record.DropUnknownSession
	}
	return record.DropUnauthentic
}

// wantZero looks for plaintext that was not authentic. GMAC has none.
func wantZero(t *testing.T, transform Transform, plaintext []byte) {
	t.Helper()
	if strings.HasSuffix(transform.String(), "gmac") {
		return
	}
	if !bytes.Equal(plaintext, make([]byte, len(plaintext))) {
		t.Errorf("%v leaves %x", transform, plaintext)
	}
}

// TestCaseCCMFlippedSPI flips one bit of the SPI to that of another SA with the same key,
// so that only the associated data differ.
func TestCaseCCMFlippedSPI(t *testing.T) {
	for _, transform := range Transforms() {
		a := association4(transform)
		p := pairOf(t, a)
		a.SPI ^= 1
		other, err := NewInboundSA(newEngine(t), InboundConfig{Association: a})
		must(t, err)
		must(t, p.db.Add(other))
		packet := p.seal(t, udpPacket(host4[0], host4[1], pattern(9)))[0].Content()
		packet[23] ^= 1
		if d := p.open(packet); d.Drop != record.DropUnauthentic {
			t.Errorf("%v: %v", transform, d.Drop)
		}
	}
}

func TestCaseUDP4500(t *testing.T) {
	for _, c := range []struct {
		payload string
		want    Payload
	}{
		{"\xff", PayloadKeepalive}, {"\x00", PayloadInvalid}, {"", PayloadInvalid}, {"\xff\xff", PayloadInvalid},
		{"\x00\x00\x00", PayloadInvalid}, {"\x00\x00\x00\x00", PayloadIKE}, {"\x00\x00\x00\x00rest", PayloadIKE},
		{"\x00\x00\x01\x00", PayloadESP}, {"\xff\xff\xff\xff", PayloadESP},
	} {
		if got := ClassifyUDP([]byte(c.payload)); got != c.want {
			t.Errorf("%x: %d, want %d", c.payload, got, c.want)
		}
	}
}

// TestCaseUDP4500Inbound sends the same to the data path, where ESP is of SPI 256, which
// nobody has.
func TestCaseUDP4500Inbound(t *testing.T) {
	for payload, want := range map[string]record.Drop{
		"\xff":                             record.DropKeepalive,
		"\x00\x00\x00\x00 is IKE":          record.DropIKE,
		"\x00\x00\x01\x00\x00\x00\x00\x01": record.DropUnknownSession,
		"\x00\x00\x01\x00":                 record.DropTruncated,
		"\xff\xff":                         record.DropTruncated,
	} {
		for _, socket := range []bool{false, true} {
			in := NewInbound(newEngine(t), NewDatabase(), InboundOptions{Socket: socket})
			packet := []byte(payload)
			if !socket {
				packet = outerPacket(gateway4[0], gateway4[1], true, packet)
			}
			before := bytes.Clone(packet)
			burst := []record.Datagram{{Buf: packet, Len: len(packet)}}
			in.Unprotect(burst, nil)
			if burst[0].Drop != want || !bytes.Equal(burst[0].Content(), before) {
				t.Errorf("%x, socket %v: %v, want %v", payload, socket, burst[0].Drop, want)
			}
		}
	}
}

// TestCaseTransportUDP has a 28-byte UDP packet: lengths, protocol and checksum.
func TestCaseTransportUDP(t *testing.T) {
	for _, hosts := range [][2]string{{"10.1.0.3", "10.2.0.9"}, {"fd00:1::3", "fd00:2::9"}} {
		for _, carrier := range []Carrier{InIP, InUDP} {
			t.Run(fmt.Sprint(hosts, carrier), func(t *testing.T) { transportUDP(t, hosts[0][0] == 'f', carrier) })
		}
	}
}

func transportUDP(t *testing.T, v6 bool, carrier Carrier) {
	hosts := host4
	size := 28
	if v6 {
		hosts, size = host6, 48
	}
	a := association4(AES128GCM16)
	a.Mode, a.Carrier = Transport, carrier
	p := pairOf(t, a)
	packet := udpPacket(hosts[0], hosts[1], nil)
	if len(packet) != size {
		t.Fatalf("packet of %d bytes", len(packet))
	}
	sealed := p.seal(t, packet)[0]
	next, rest := checkOuter(t, sealed.Content(), hosts)
	if carrier == InUDP {
		if next != 17 {
			t.Errorf("protocol %d", next)
		}
		checkUDPSum(t, sealed.Content(), rest)
	} else if next != 50 {
		t.Errorf("protocol %d", next)
	}
	opened := p.open(sealed.Content())
	if opened.Drop != record.DropNone || !bytes.Equal(opened.Content(), packet) {
		t.Fatalf("%v: %x, want %x", opened.Drop, opened.Content(), packet)
	}
	if next, udp := checkOuter(t, opened.Content(), hosts); next != 17 || int(binary.BigEndian.Uint16(udp[4:])) != len(udp) {
		t.Errorf("opened: protocol %d, UDP %x", next, udp)
	}
}
