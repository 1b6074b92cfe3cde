package hpmask

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"golang.org/x/crypto/chacha20"
)

// AES is the portable tier of the AES masks: one call of crypto/aes a packet,
// any key size.
func AES() ciphers.Masker { return stdAES{} }

type stdAES struct{}

func (stdAES) ScheduleSize() int { return 0 }

func (stdAES) Expand(st *ciphers.State, spec *ciphers.KeySpec) (err error) {
	st.Object, err = aes.NewCipher(spec.Key)
	return err
}

func (stdAES) Mask(dst []byte, b ciphers.Burst) {
	for _, i := range b.Index {
		p := &b.Packets[i]
		block := p.MaskKey.State(b.Slot).Object.(cipher.Block)
		block.Encrypt(dst[int(i)*ciphers.MaskSize:][:ciphers.MaskSize], p.Sample())
	}
}

// ChaCha20 is the portable tier of the ChaCha20 masks: one call of
// golang.org/x/crypto a packet. The sample is a little-endian block counter of
// 4 bytes and a nonce of 12; one block never makes the counter wrap.
func ChaCha20() ciphers.Masker { return stdChaCha20{} }

type stdChaCha20 struct{}

func (stdChaCha20) ScheduleSize() int { return chacha20.KeySize }

func (stdChaCha20) Expand(st *ciphers.State, spec *ciphers.KeySpec) error {
	copy(st.Schedule(), spec.Key)
	return nil
}

func (stdChaCha20) Mask(dst []byte, b ciphers.Burst) {
	for _, i := range b.Index {
		p := &b.Packets[i]
		key, sample := p.MaskKey.State(b.Slot).Schedule(), p.Sample()
		mask := dst[int(i)*ciphers.MaskSize:][:ciphers.MaskSize]
		stream, err := chacha20.NewUnauthenticatedCipher(key, sample[4:])
		if err != nil {
			panic("hpmask: " + err.Error()) // key and nonce have fixed sizes
		}
		stream.SetCounter(binary.LittleEndian.Uint32(sample))
		clear(mask)
		stream.XORKeyStream(mask, mask)
	}
}
