package ipsecadapter

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"hash"
	"strings"
	"testing"

	"golang.org/x/crypto/blowfish"
)

// oraclePair is a cipher and an HMAC, with tables of its own.
type oraclePair struct {
	block cipher.Block // nil for NULL
	ctr   bool
	salt  []byte
	hash  func() hash.Hash
	mac   []byte // the HMAC's key
}

var oracleHashes = map[string]struct {
	new      func() hash.Hash
	key, icv int
}{
	"sha256": {sha256.New, 32, 16}, "sha384": {sha512.New384, 48, 24}, "sha512": {sha512.New, 64, 32},
	"sha1": {sha1.New, 20, 12}, "md5": {md5.New, 16, 12},
}

var oracleCiphers = map[string]struct {
	new       func([]byte) (cipher.Block, error)
	key, salt int
}{
	"aes128": {aes.NewCipher, 16, 0}, "aes192": {aes.NewCipher, 24, 0}, "aes256": {aes.NewCipher, 32, 0},
	"aes128ctr": {aes.NewCipher, 16, 4}, "aes192ctr": {aes.NewCipher, 24, 4}, "aes256ctr": {aes.NewCipher, 32, 4},
	"3des": {des.NewTripleDESCipher, 24, 0}, "des": {des.NewCipher, 8, 0}, "blowfish128": {newBlowfish, 16, 0}, "null": {},
}

func newBlowfish(key []byte) (cipher.Block, error) { return blowfish.NewCipher(key) }

// newPairOracle makes the oracle of a transform such as "aes128-sha256", or nil for others.
func newPairOracle(t testing.TB, a *Association) *oracle {
	t.Helper()
	name, auth, found := strings.Cut(a.Transform.String(), "-")
	c, known := oracleCiphers[name]
	h := oracleHashes[auth]
	if !found || !known {
		return nil
	}
	if len(a.Key) != c.key+c.salt+h.key {
		t.Fatalf("%v: key of %d bytes", a.Transform, len(a.Key))
	}
	p := &oraclePair{ctr: c.salt != 0, salt: a.Key[c.key : c.key+c.salt], hash: h.new, mac: a.Key[c.key+c.salt:]}
	o := &oracle{spi: a.SPI, esn: a.ESN, icv: h.icv, pair: p, align: 4}
	if c.new != nil {
		var err error
		p.block, err = c.new(a.Key[:c.key])
		must(t, err)
		if !p.ctr {
			o.align = p.block.BlockSize()
		}
	}
	return o
}

// ivSize is what of the IV a packet carries.
func (p *oraclePair) ivSize() int {
	switch {
	case p.block == nil:
		return 0
	case p.ctr:
		return 8
	}
	return p.block.BlockSize()
}

// rawPair seals a body: IV, ciphertext, and the ICV of header, IV, ciphertext and high half.
func (o *oracle) rawPair(number, iv uint64, body []byte) []byte {
	p := o.pair
	packet := binary.BigEndian.AppendUint32(nil, o.spi)
	packet = binary.BigEndian.AppendUint32(packet, uint32(number))
	wholeIV := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, iv), iv*3)[:p.ivSize()]
	packet = append(packet, wholeIV...)
	out := bytes.Clone(body)
	switch {
	case p.ctr:
		cipher.NewCTR(p.block, p.counter(wholeIV)).XORKeyStream(out, body)
	case p.block != nil:
		cipher.NewCBCEncrypter(p.block, wholeIV).CryptBlocks(out, body)
	}
	packet = append(packet, out...)
	return append(packet, o.mac(packet, number)...)
}

// counter is the first counter block of RFC 3686 section 4.
func (p *oraclePair) counter(iv []byte) []byte {
	return append(append(bytes.Clone(p.salt), iv...), 0, 0, 0, 1)
}

func (o *oracle) mac(packet []byte, number uint64) []byte {
	h := hmac.New(o.pair.hash, o.pair.mac)
	h.Write(packet)
	if o.esn {
		h.Write(binary.BigEndian.AppendUint32(nil, uint32(number>>32)))
	}
	return h.Sum(nil)[:o.icv]
}

func (o *oracle) openPair(packet []byte, number uint64) ([]byte, error) {
	p, n := o.pair, len(packet)-o.icv
	if !hmac.Equal(o.mac(packet[:n], number), packet[n:]) {
		return nil, errOracle
	}
	iv, body := packet[8:8+p.ivSize()], bytes.Clone(packet[8+p.ivSize():n])
	switch {
	case p.ctr:
		cipher.NewCTR(p.block, p.counter(iv)).XORKeyStream(body, body)
	case p.block != nil:
		cipher.NewCBCDecrypter(p.block, iv).CryptBlocks(body, body)
	}
	return body, nil
}
