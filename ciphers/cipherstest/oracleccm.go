package cipherstest

import (
	"crypto/cipher"
	"encoding/binary"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
)

// longAAD is the length of associated data from which on CCM codes it in 6
// bytes (SP 800-38C appendix A.2.2).
const longAAD = 1<<16 - 1<<8

// oracleCCM is pion's CCM. pion codes lengths from longAAD on with the two
// bytes FE FF, where the standard has FF FE; no protocol of pion's comes that
// far. For these the oracle follows the standard step by step.
type oracleCCM struct {
	cipher.AEAD
	block cipher.Block
}

func newOracleCCM(block cipher.Block, nonceSize, tagSize int) (cipher.AEAD, error) {
	pion, err := ccm.NewCCM(block, tagSize, nonceSize)
	return oracleCCM{pion, block}, err
}

func (c oracleCCM) Seal(dst, nonce, plaintext, aad []byte) []byte {
	if len(aad) < longAAD {
		return c.AEAD.Seal(dst, nonce, plaintext, aad)
	}
	return c.sealLong(dst, nonce, plaintext, aad)
}

// sealLong is SP 800-38C section 6.1, with the formatting of appendix A.
func (c oracleCCM) sealLong(dst, nonce, plaintext, aad []byte) []byte {
	q := 15 - len(nonce)
	flags := byte(1<<6 | (c.Overhead()-2)/2<<3 | q - 1)
	blocks := c.formatted(append([]byte{flags}, nonce...), len(plaintext))
	blocks = append(blocks, 0xFF, 0xFE)
	blocks = binary.BigEndian.AppendUint32(blocks, uint32(len(aad)))
	blocks = padded(append(blocks, aad...))
	blocks = padded(append(blocks, plaintext...))
	cipher.NewCBCEncrypter(c.block, make([]byte, 16)).CryptBlocks(blocks, blocks)
	mac := blocks[len(blocks)-16:][:c.Overhead()]

	counter := c.formatted(append([]byte{byte(q - 1)}, nonce...), 0)
	stream := cipher.NewCTR(c.block, counter)
	first := make([]byte, 16)
	stream.XORKeyStream(first, first)
	sealed := make([]byte, len(plaintext), len(plaintext)+len(mac))
	stream.XORKeyStream(sealed, plaintext)
	for i := range mac {
		sealed = append(sealed, mac[i]^first[i])
	}
	return append(dst, sealed...)
}

// formatted is a block of flags, nonce and a length or counter.
func (c oracleCCM) formatted(head []byte, n int) []byte {
	var block [16]byte
	binary.BigEndian.PutUint64(block[8:], uint64(n))
	copy(block[:], head)
	return block[:]
}

func padded(b []byte) []byte {
	for len(b)%16 != 0 {
		b = append(b, 0)
	}
	return b
}
