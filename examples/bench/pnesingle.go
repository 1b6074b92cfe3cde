package main

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"

	"github.com/pion/dtls/v2/pkg/crypto/ccm"
	"golang.org/x/crypto/chacha20"
	"golang.org/x/crypto/chacha20poly1305"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/examples/bench/internal/load"
)

// singlePackets protects 1-RTT packets with the libraries' calls, one packet at a time: it
// seals one after the other and then opens them. Its receiver expects the number that
// comes; it looks up no connection, decodes no number and has no replay window.
type singlePackets struct {
	aead   cipher.AEAD
	mask   func(sample []byte) []byte
	bufs   [][]byte
	n      int
	number uint32
	iv     uint64 // its last 8 bytes, to which the number goes
	nonce  [12]byte
}

func newSinglePackets(suite load.Suite, n, packets int) (*singlePackets, error) {
	s := &singlePackets{n: n, bufs: singleBuffers(packets, n)}
	key := make([]byte, suite.Alg.KeySize())
	if suite.Alg == ciphers.ChaCha20Poly1305 {
		s.mask = chachaHeaderMask(key)
		var err error
		s.aead, err = chacha20poly1305.New(key)
		return s, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	mask := make([]byte, aes.BlockSize)
	s.mask = func(sample []byte) []byte {
		block.Encrypt(mask, sample)
		return mask
	}
	if suite.Alg == ciphers.AES128CCM {
		s.aead, err = ccm.NewCCM(block, 16, 12)
	} else {
		s.aead, err = cipher.NewGCM(block)
	}
	return s, err
}

// singleBuffers are packets of n bytes of payload, which starts on a cache line.
func singleBuffers(packets, n int) [][]byte {
	all := packetBuffers(packets, n)
	for i := range all {
		all[i] = all[i][payloadOff-singleHeader:][:singleHeader+n+16]
	}
	return all
}

func chachaHeaderMask(key []byte) func(sample []byte) []byte {
	mask := make([]byte, 5)
	return func(sample []byte) []byte {
		stream, err := chacha20.NewUnauthenticatedCipher(key, sample[4:])
		if err != nil {
			panic(err) // key and nonce have the right sizes
		}
		stream.SetCounter(binary.LittleEndian.Uint32(sample))
		clear(mask)
		stream.XORKeyStream(mask, mask)
		return mask
	}
}

// A short header with an ID of 8 and a number of 2 bytes.
const (
	singleNumberOff = 1 + 8
	singleHeader    = singleNumberOff + 2
	singleSample    = singleNumberOff + 4
)

func (s *singlePackets) run(n int) error {
	for range n {
		first := s.number
		for i, buf := range s.bufs {
			s.seal(buf, first+uint32(i))
		}
		for i, buf := range s.bufs {
			if err := s.open(buf, first+uint32(i)); err != nil {
				return err
			}
		}
		s.number += uint32(len(s.bufs))
	}
	return nil
}

func (s *singlePackets) seal(buf []byte, number uint32) {
	putSingleHeader(buf, number)
	s.setNonce(number)
	payload := buf[singleHeader:][:s.n]
	s.aead.Seal(payload[:0], s.nonce[:], payload, buf[:singleHeader])
	applyMask(buf, binary.LittleEndian.Uint32(s.mask(buf[singleSample:][:16])))
}

func (s *singlePackets) open(buf []byte, number uint32) error {
	applyMask(buf, binary.LittleEndian.Uint32(s.mask(buf[singleSample:][:16])))
	s.setNonce(number)
	sealed := buf[singleHeader:]
	_, err := s.aead.Open(sealed[:0], s.nonce[:], sealed, buf[:singleHeader])
	return err
}

// setNonce makes the nonce as RFC 9001 section 5.3 has it, which the engine does too.
func (s *singlePackets) setNonce(number uint32) {
	binary.BigEndian.PutUint64(s.nonce[4:], s.iv^uint64(number))
}

// What is done to headers costs as little as it can, on all sides alike: it is ciphers that
// are compared.

func putSingleHeader(buf []byte, number uint32) {
	h := (*[singleHeader]byte)(buf)
	h[0] = 0x41
	*(*[len(packetID)]byte)(h[1:]) = packetID
	binary.BigEndian.PutUint16(h[singleNumberOff:], uint16(number))
}

// applyMask applies a mask, whose first bytes are a word, lowest first.
func applyMask(buf []byte, mask uint32) {
	h := (*[singleHeader]byte)(buf)
	number := h[singleNumberOff:]
	h[0] ^= byte(mask) & 0x1f
	binary.LittleEndian.PutUint16(number, binary.LittleEndian.Uint16(number)^uint16(mask>>8))
}
