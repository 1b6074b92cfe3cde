package quicadapter

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"hash"
	"testing"

	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"
)

// oracle protects one packet at a time, on the standard library and x/crypto alone. It
// shares nothing with the package but the names of suites and versions.
type oracle struct {
	aead cipher.AEAD
	iv   []byte
	mask func(sample []byte) []byte
	next func() *oracle
}

func newOracle(t testing.TB, v Version, s Suite, secret []byte) *oracle {
	t.Helper()
	newHash, size := sha256.New, 16
	switch s {
	case AES256GCM:
		newHash, size = sha512.New384, 32
	case ChaCha20Poly1305:
		size = 32
	}
	prefix := map[Version]string{Version1: "quic ", Version2: "quicv2 "}[v]
	expand := func(label string, n int) []byte { return oracleExpand(newHash, secret, prefix+label, n) }
	o := &oracle{iv: expand("iv", 12)}
	o.aead = oracleAEAD(t, s, expand("key", size))
	o.mask = oracleMask(t, s, expand("hp", size))
	o.next = func() *oracle {
		next := newOracle(t, v, s, expand("ku", newHash().Size()))
		next.mask = o.mask // it outlives key updates
		return next
	}
	return o
}

// oracleExpand is HKDF-Expand-Label of one or two blocks.
func oracleExpand(newHash func() hash.Hash, secret []byte, label string, n int) []byte {
	label = "tls13 " + label
	info := append([]byte{byte(n >> 8), byte(n), byte(len(label))}, label...)
	info = append(info, 0)
	var out, block []byte
	for i := byte(1); len(out) < n; i++ {
		mac := hmac.New(newHash, secret)
		mac.Write(block)
		mac.Write(info)
		mac.Write([]byte{i})
		block = mac.Sum(nil)
		out = append(out, block...)
	}
	return out[:n]
}

func oracleAEAD(t testing.TB, s Suite, key []byte) cipher.AEAD {
	t.Helper()
	if s == ChaCha20Poly1305 {
		aead, err := chacha20poly1305.New(key)
		if err != nil {
			t.Fatal(err)
		}
		return aead
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	if s == AES128CCM {
		return oracleCCM{block}
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	return aead
}

func oracleMask(t testing.TB, s Suite, key []byte) func([]byte) []byte {
	t.Helper()
	if s != ChaCha20Poly1305 {
		block, err := aes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		return func(sample []byte) []byte {
			out := make([]byte, 16)
			block.Encrypt(out, sample)
			return out
		}
	}
	return func(sample []byte) []byte {
		stream, err := chacha20.NewUnauthenticatedCipher(key, sample[4:16])
		if err != nil {
			t.Fatal(err)
		}
		stream.SetCounter(binary.LittleEndian.Uint32(sample))
		out := make([]byte, 5)
		stream.XORKeyStream(out, out)
		return out
	}
}

func (o *oracle) nonce(number uint64) []byte {
	nonce := append([]byte(nil), o.iv...)
	for i := range 8 {
		nonce[11-i] ^= byte(number >> (8 * i))
	}
	return nonce
}

// seal protects a packet whose header is in the clear and ends with size bytes of number.
func (o *oracle) seal(header, payload []byte, number uint64, size int) []byte {
	b := o.aead.Seal(append([]byte(nil), header...), o.nonce(number), payload, header)
	o.apply(b, len(header)-size, size)
	return b
}

func (o *oracle) apply(b []byte, off, size int) {
	mask := o.mask(b[off+4 : off+20])
	if b[0] >= 0x80 {
		b[0] ^= mask[0] & 0x0f
	} else {
		b[0] ^= mask[0] & 0x1f
	}
	for i := range size {
		b[off+i] ^= mask[1+i]
	}
}

// open removes the protection of a packet whose number and where it lies are known.
func (o *oracle) open(b []byte, off int, number uint64) (header, payload []byte, err error) {
	b = append([]byte(nil), b...)
	mask := o.mask(b[off+4 : off+20])
	first := b[0] ^ mask[0]&0x1f
	if b[0] >= 0x80 {
		first = b[0] ^ mask[0]&0x0f
	}
	size := int(first&3) + 1
	o.apply(b, off, size)
	header = b[:off+size]
	payload, err = o.aead.Open(nil, o.nonce(number), b[off+size:], header)
	return header, payload, err
}

// oracleCCM is CCM with a nonce of 12 and a tag of 16 bytes (SP 800-38C).
type oracleCCM struct{ block cipher.Block }

func (oracleCCM) NonceSize() int { return 12 }
func (oracleCCM) Overhead() int  { return 16 }

func (c oracleCCM) mac(nonce, plain, aad []byte) []byte {
	b := append([]byte{0x40 | 7<<3 | 2}, nonce...)
	b = append(b, byte(len(plain)>>16), byte(len(plain)>>8), byte(len(plain)))
	b = append(b, byte(len(aad)>>8), byte(len(aad)))
	pad := func() {
		for len(b)%16 != 0 {
			b = append(b, 0)
		}
	}
	b = append(b, aad...)
	pad()
	b = append(b, plain...)
	pad()
	x := make([]byte, 16)
	for ; len(b) > 0; b = b[16:] {
		for i := range x {
			x[i] ^= b[i]
		}
		c.block.Encrypt(x, x)
	}
	return x
}

func (c oracleCCM) ctr(nonce []byte) cipher.Stream {
	return cipher.NewCTR(c.block, append(append([]byte{2}, nonce...), 0, 0, 0))
}

func (c oracleCCM) Seal(dst, nonce, plain, aad []byte) []byte {
	tag := c.mac(nonce, plain, aad)
	stream := c.ctr(nonce)
	stream.XORKeyStream(tag, tag)
	out := make([]byte, len(plain))
	stream.XORKeyStream(out, plain)
	return append(append(dst, out...), tag...)
}

var errOracle = errors.New("oracle: not authentic")

func (c oracleCCM) Open(dst, nonce, sealed, aad []byte) ([]byte, error) {
	if len(sealed) < 16 {
		return nil, errOracle
	}
	stream := c.ctr(nonce)
	tag := append([]byte(nil), sealed[len(sealed)-16:]...)
	stream.XORKeyStream(tag, tag)
	plain := make([]byte, len(sealed)-16)
	stream.XORKeyStream(plain, sealed[:len(plain)])
	if !hmac.Equal(tag, c.mac(nonce, plain, aad)) {
		return nil, errOracle
	}
	return append(dst, plain...), nil
}
