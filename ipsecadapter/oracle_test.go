package ipsecadapter

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"
)

// oracle is ESP one packet at a time over the standard library, written from the RFCs and
// sharing nothing with the package.
type oracle struct {
	spi      uint32
	esn      bool
	implicit bool
	gmac     bool
	icv      int
	align    int // of payload, padding and trailer
	salt     []byte
	aead     oracleAEAD
	pair     *oraclePair // in aead's place
}

// oracleAEAD makes full 16-byte tags, or those of its own size.
type oracleAEAD interface {
	seal(nonce, plaintext, aad []byte) []byte
	open(nonce, ciphertext, aad []byte) ([]byte, error)
}

var errOracle = errors.New("not authentic")

// oracleParameters are the RFCs' tables once more.
var oracleParameters = map[string]struct {
	key, salt, icv int
	kind           string
}{
	"aes128gcm8": {16, 4, 8, "gcm"}, "aes128gcm12": {16, 4, 12, "gcm"}, "aes128gcm16": {16, 4, 16, "gcm"},
	"aes192gcm8": {24, 4, 8, "gcm"}, "aes192gcm12": {24, 4, 12, "gcm"}, "aes192gcm16": {24, 4, 16, "gcm"},
	"aes256gcm8": {32, 4, 8, "gcm"}, "aes256gcm12": {32, 4, 12, "gcm"}, "aes256gcm16": {32, 4, 16, "gcm"},
	"aes128gmac": {16, 4, 16, "gmac"}, "aes192gmac": {24, 4, 16, "gmac"}, "aes256gmac": {32, 4, 16, "gmac"},
	"chacha20poly1305": {32, 4, 16, "chacha"},
	"aes128ccm8":       {16, 3, 8, "ccm"}, "aes128ccm12": {16, 3, 12, "ccm"}, "aes128ccm16": {16, 3, 16, "ccm"},
	"aes256ccm8": {32, 3, 8, "ccm"}, "aes256ccm12": {32, 3, 12, "ccm"}, "aes256ccm16": {32, 3, 16, "ccm"},
	"aes128gcm16iiv": {16, 4, 16, "gcm-iiv"}, "aes192gcm16iiv": {24, 4, 16, "gcm-iiv"}, "aes256gcm16iiv": {32, 4, 16, "gcm-iiv"},
	"chacha20poly1305iiv": {32, 4, 16, "chacha-iiv"}, "aes128ccm8iiv": {16, 3, 8, "ccm-iiv"}, "aes256ccm8iiv": {32, 3, 8, "ccm-iiv"},
}

func newOracle(t testing.TB, a *Association) *oracle {
	t.Helper()
	if o := newPairOracle(t, a); o != nil {
		return o
	}
	p, ok := oracleParameters[a.Transform.String()]
	if !ok || len(a.Key) != p.key+p.salt {
		t.Fatalf("%v: no such oracle for %d bytes", a.Transform, len(a.Key))
	}
	o := &oracle{spi: a.SPI, esn: a.ESN, icv: p.icv, align: 4, salt: a.Key[p.key:], gmac: p.kind == "gmac"}
	kind, implicit := strings.CutSuffix(p.kind, "-iiv")
	o.implicit = implicit
	switch kind {
	case "chacha":
		c, err := chacha20poly1305.New(a.Key[:p.key])
		must(t, err)
		o.aead = truncated{c, p.icv}
	case "ccm":
		b, err := aes.NewCipher(a.Key[:p.key])
		must(t, err)
		o.aead = slowCCM{b, p.icv}
	default:
		b, err := aes.NewCipher(a.Key[:p.key])
		must(t, err)
		c, err := cipher.NewGCM(b)
		must(t, err)
		o.aead = truncated{c, p.icv}
	}
	return o
}

// truncated shortens the tags of a library's AEAD.
type truncated struct {
	cipher.AEAD
	tag int
}

func (a truncated) seal(nonce, plaintext, aad []byte) []byte {
	out := a.Seal(nil, nonce, plaintext, aad)
	return out[:len(plaintext)+a.tag]
}

// open decrypts by sealing: the key stream is the same.
func (a truncated) open(nonce, ciphertext, aad []byte) ([]byte, error) {
	n := len(ciphertext) - a.tag
	if n < 0 {
		return nil, errOracle
	}
	stream := a.Seal(nil, nonce, make([]byte, n), nil)
	plain := make([]byte, n)
	subtle.XORBytes(plain, ciphertext[:n], stream[:n])
	if again := a.seal(nonce, plain, aad); subtle.ConstantTimeCompare(again, ciphertext) != 1 {
		return nil, errOracle
	}
	return plain, nil
}

// slowCCM is SP 800-38C for nonces of 11 bytes: 4 bytes count the payload.
type slowCCM struct {
	cipher.Block
	tag int
}

func (c slowCCM) seal(nonce, plaintext, aad []byte) []byte {
	tag := c.mac(nonce, plaintext, aad)
	return append(c.stream(nonce, plaintext, 1), c.stream(nonce, tag, 0)[:c.tag]...)
}

func (c slowCCM) open(nonce, ciphertext, aad []byte) ([]byte, error) {
	n := len(ciphertext) - c.tag
	if n < 0 {
		return nil, errOracle
	}
	plain := c.stream(nonce, ciphertext[:n], 1)
	if subtle.ConstantTimeCompare(c.seal(nonce, plain, aad), ciphertext) != 1 {
		return nil, errOracle
	}
	return plain, nil
}

func (c slowCCM) stream(nonce, in []byte, counter uint32) []byte {
	out := make([]byte, len(in))
	for at := 0; at < len(in); at += 16 {
		block := append(append([]byte{3}, nonce...), 0, 0, 0, 0)
		binary.BigEndian.PutUint32(block[12:], counter)
		c.Encrypt(block, block)
		subtle.XORBytes(out[at:], in[at:], block[:min(16, len(in)-at)])
		counter++
	}
	return out
}

func (c slowCCM) mac(nonce, plaintext, aad []byte) []byte {
	b0 := append(append([]byte{64 | byte(c.tag-2)/2<<3 | 3}, nonce...), 0, 0, 0, 0)
	binary.BigEndian.PutUint32(b0[12:], uint32(len(plaintext)))
	x := b0
	c.Encrypt(x, x)
	blocks := pad16(append([]byte{byte(len(aad) >> 8), byte(len(aad))}, aad...))
	blocks = append(blocks, pad16(append([]byte(nil), plaintext...))...)
	for ; len(blocks) > 0; blocks = blocks[16:] {
		subtle.XORBytes(x, x, blocks[:16])
		c.Encrypt(x, x)
	}
	return x
}

func pad16(b []byte) []byte { return append(b, make([]byte, -len(b)&15)...) }

// esp seals a payload as RFC 4303 says. The padding fills to the end of a block, and more
// blocks.
func (o *oracle) esp(number uint64, iv uint64, payload []byte, next byte, moreBlocks int) []byte {
	pad := (o.align-(len(payload)+2)%o.align)%o.align + moreBlocks*o.align
	body := append([]byte(nil), payload...)
	for i := 1; i <= pad; i++ {
		body = append(body, byte(i))
	}
	return o.raw(number, iv, append(body, byte(pad), next))
}

// raw seals a body, trailer included, whatever it is.
func (o *oracle) raw(number uint64, iv uint64, body []byte) []byte {
	if o.pair != nil {
		return o.rawPair(number, iv, body)
	}
	packet := binary.BigEndian.AppendUint32(nil, o.spi)
	packet = binary.BigEndian.AppendUint32(packet, uint32(number))
	if o.implicit {
		iv = number
	} else {
		packet = binary.BigEndian.AppendUint64(packet, iv)
	}
	aad, nonce := o.aad(number), binary.BigEndian.AppendUint64(append([]byte(nil), o.salt...), iv)
	if o.gmac {
		aad = append(binary.BigEndian.AppendUint64(aad, iv), body...)
		return append(append(packet, body...), o.aead.seal(nonce, nil, aad)...)
	}
	return append(packet, o.aead.seal(nonce, body, aad)...)
}

func (o *oracle) aad(number uint64) []byte {
	aad := binary.BigEndian.AppendUint32(nil, o.spi)
	if o.esn {
		return binary.BigEndian.AppendUint64(aad, number)
	}
	return binary.BigEndian.AppendUint32(aad, uint32(number))
}

// open opens an ESP packet of which the whole number is known, and returns its body with
// padding and trailer.
func (o *oracle) open(packet []byte, number uint64) ([]byte, error) {
	if len(packet) < 16 || binary.BigEndian.Uint32(packet) != o.spi || binary.BigEndian.Uint32(packet[4:]) != uint32(number) {
		return nil, errOracle
	}
	if o.pair != nil {
		return o.openPair(packet, number)
	}
	iv, rest := binary.BigEndian.AppendUint64(nil, number), packet[8:]
	if !o.implicit {
		iv, rest = packet[8:16], packet[16:]
	}
	nonce := append(append([]byte(nil), o.salt...), iv...)
	if !o.gmac {
		return o.aead.open(nonce, rest, o.aad(number))
	}
	n := len(rest) - o.icv
	_, err := o.aead.open(nonce, rest[n:], append(append(o.aad(number), iv...), rest[:n]...))
	return rest[:n], err
}

// outerPacket puts ESP behind an IP header, by UDP if asked, without the code under test.
func outerPacket(from, to netip.Addr, natt bool, esp []byte) []byte {
	if !natt {
		return ipPacket(from, to, 50, esp)
	}
	udp := append([]byte{17500 >> 8, 17500 & 255, 4500 >> 8, 4500 & 255, 0, 0, 0, 0}, esp...)
	binary.BigEndian.PutUint16(udp[4:], uint16(len(udp)))
	return ipPacket(from, to, 17, udp)
}
