package cbchmac

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/binary"
	"errors"
	"hash"
	"slices"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/blowfish"
)

// mode encrypts and decrypts the payload of one packet after the other. dst and
// src are the same bytes or have none in common.
type mode interface {
	encrypt(dst, src []byte, p *ciphers.Packet)
	decrypt(dst, src []byte, p *ciphers.Packet)
}

// macOf makes HMACs under the spec's second key, of which it takes a copy.
func macOf(spec *ciphers.KeySpec) func() hash.Hash {
	hashes := map[ciphers.Integrity]func() hash.Hash{
		ciphers.HMACSHA256: sha256.New, ciphers.HMACSHA384: sha512.New384, ciphers.HMACSHA512: sha512.New,
		ciphers.HMACSHA1: sha1.New, ciphers.HMACMD5: md5.New,
	}
	key, newHash := slices.Clone(spec.AuthKey), hashes[spec.Algorithm.Integrity()]
	return func() hash.Hash { return hmac.New(newHash, key) }
}

// modeOf makes modes under the spec's first key, in its direction alone.
func modeOf(spec *ciphers.KeySpec) (func() mode, error) {
	block, err := blockOf(spec)
	switch {
	case err != nil:
		return nil, err
	case block == nil:
		return func() mode { return null{} }, nil
	case spec.Nonce == ciphers.NonceExplicit:
		return func() mode { return &ctr{block: block} }, nil
	}
	zero, newCBC := make([]byte, block.BlockSize()), cipher.NewCBCEncrypter
	if spec.Direction == ciphers.Opening {
		newCBC = cipher.NewCBCDecrypter
	}
	if _, ok := newCBC(block, zero).(chain); !ok {
		return nil, errNoSetIV
	}
	return func() mode { return cbc{newCBC(block, zero).(chain)} }, nil
}

// blockOf is the block cipher of the spec under its key, or nil for none.
func blockOf(spec *ciphers.KeySpec) (cipher.Block, error) {
	switch spec.Algorithm.Encryption() {
	case ciphers.IntegrityOnly, ciphers.NullEncryption:
		return nil, nil
	case ciphers.TripleDESCBC:
		return des.NewTripleDESCipher(spec.Key)
	case ciphers.DESCBC:
		return des.NewCipher(spec.Key)
	case ciphers.BlowfishCBC:
		return blowfish.NewCipher(spec.Key)
	}
	return aes.NewCipher(spec.Key)
}

// errNoSetIV says that the library's CBC can no longer be given another IV.
var errNoSetIV = errors.New("cbchmac: crypto/cipher's CBC has no SetIV")

// chain is what the library's CBC is; without SetIV each packet would need a new one.
type chain interface {
	cipher.BlockMode
	SetIV(iv []byte)
}

// cbc is the library's CBC in one direction.
type cbc struct{ chain }

func (c cbc) encrypt(dst, src []byte, p *ciphers.Packet) { c.crypt(dst, src, p.IV()) }
func (c cbc) decrypt(dst, src []byte, p *ciphers.Packet) { c.crypt(dst, src, p.IV()) }

func (c cbc) crypt(dst, src, iv []byte) {
	c.SetIV(iv)
	c.CryptBlocks(dst, src)
}

// null is NULL encryption (RFC 2410).
type null struct{}

func (null) encrypt(dst, src []byte, _ *ciphers.Packet) { copy(dst, src) }
func (null) decrypt(dst, src []byte, _ *ciphers.Packet) { copy(dst, src) }

// ctr is counter mode with the blocks of RFC 3686 section 4. The library's takes
// an allocation a packet, so that this one calls its block cipher.
type ctr struct {
	block  cipher.Block
	stream [8 * aes.BlockSize]byte // one call of XORBytes serves several blocks
}

func (c *ctr) encrypt(dst, src []byte, p *ciphers.Packet) { c.crypt(dst, src, p.Nonce()) }
func (c *ctr) decrypt(dst, src []byte, p *ciphers.Packet) { c.crypt(dst, src, p.Nonce()) }

// crypt needs no more than 4096 counter blocks a packet; the counter's 32 bits
// start at 1 and do not wrap.
func (c *ctr) crypt(dst, src []byte, nonce *[12]byte) {
	for counter := uint32(1); len(src) > 0; {
		n := min(len(src), len(c.stream))
		for at := 0; at < n; at += aes.BlockSize {
			block := c.stream[at:][:aes.BlockSize]
			copy(block, nonce[:])
			binary.BigEndian.PutUint32(block[12:], counter)
			c.block.Encrypt(block, block)
			counter++
		}
		subtle.XORBytes(dst, src[:n], c.stream[:])
		dst, src = dst[n:], src[n:]
	}
}
