package load

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
	"golang.org/x/crypto/chacha20"
)

// Library is the name of the baseline: the libraries' own calls, one a packet.
const Library = "std"

// Library makes the baseline of the load.
func (l *Load) Library() (pair.Contestant, error) {
	run, err := l.libraryRun()
	return pair.Contestant{Name: Library, Items: l.Burst, Run: run, Warm: l.warm()}, err
}

func (l *Load) libraryRun() (func(n int) error, error) {
	if l.Op == Mask {
		return l.libraryMask(), nil
	}
	all, err := l.libraries()
	if err != nil {
		return nil, err
	}
	switch l.Op {
	case Open:
		return l.libraryOpen(all), nil
	case SealMask:
		return l.librarySealMask(all), nil
	}
	if l.Draw != nil {
		return l.libraryDrawn(all), nil
	}
	return l.librarySeal(all), nil
}

// stamp is the nonce of a call: the key's IV, and the number in it.
type stamp struct {
	nonce [nonceSize]byte
	low   uint64
}

func newStamp() *stamp {
	s := &stamp{low: binary.BigEndian.Uint64(iv[4:])}
	copy(s.nonce[:], iv)
	return s
}

func (s *stamp) of(number uint64) []byte {
	binary.BigEndian.PutUint64(s.nonce[4:], s.low^number)
	return s.nonce[:]
}

func (l *Load) librarySeal(all []cipher.AEAD) func(n int) error {
	s := newStamp()
	return func(n int) error {
		for range n {
			from, to := l.next()
			for i := from; i < to; i++ {
				p := &l.lanes[i]
				l.number++
				all[p.key].Seal(p.wire[p.off:p.off], s.of(l.number), p.plain, p.aad())
			}
		}
		return nil
	}
}

func (l *Load) libraryDrawn(all []cipher.AEAD) func(n int) error {
	s := newStamp()
	return func(n int) error {
		for range n {
			from, to := l.next()
			for i := from; i < to; i++ {
				p := &l.lanes[i]
				l.number++
				all[l.drawn()].Seal(p.wire[p.off:p.off], s.of(l.number), p.plain, p.aad())
			}
		}
		return nil
	}
}

func (l *Load) libraryOpen(all []cipher.AEAD) func(n int) error {
	s := newStamp()
	return func(n int) error {
		for range n {
			from, to := l.next()
			for i := from; i < to; i++ {
				p := &l.lanes[i]
				if _, err := all[p.key].Open(p.plain[:0], s.of(p.number), p.sealed(), p.aad()); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func (l *Load) libraryMask() func(n int) error {
	mask := libraryMask(l.Suite.Mask, l.maskKey())
	return func(n int) error {
		for range n {
			from, to := l.next()
			for i := from; i < to; i++ {
				mask(l.masks[16*(i-from):][:16], l.lanes[i].sample())
			}
		}
		return nil
	}
}

func (l *Load) librarySealMask(all []cipher.AEAD) func(n int) error {
	s, mask := newStamp(), libraryMask(l.Suite.Mask, l.maskKey())
	return func(n int) error {
		for range n {
			from, to := l.next()
			for i := from; i < to; i++ {
				p := &l.lanes[i]
				l.number++
				all[p.key].Seal(p.wire[p.off:p.off], s.of(l.number), p.plain, p.aad())
				mask(l.masks[16*(i-from):][:16], p.sample())
			}
		}
		return nil
	}
}

func (l *Load) maskKey() []byte { return counting(l.Suite.Mask.KeySize(), 0x40) }

// libraryMask makes a mask as RFC 9001 section 5.4 says, by crypto/aes or x/crypto.
func libraryMask(alg engine.Algorithm, key []byte) func(dst, sample []byte) {
	if alg == ciphers.MaskChaCha20 {
		return func(dst, sample []byte) { chachaMask(key, dst, sample) }
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key has the algorithm's size
	}
	return block.Encrypt
}

func chachaMask(key, dst, sample []byte) {
	stream, err := chacha20.NewUnauthenticatedCipher(key, sample[4:])
	if err != nil {
		panic(err) // key and nonce have the right sizes
	}
	stream.SetCounter(binary.LittleEndian.Uint32(sample))
	clear(dst)
	stream.XORKeyStream(dst, dst)
}
