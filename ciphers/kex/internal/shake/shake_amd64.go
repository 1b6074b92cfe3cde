//go:build amd64 && !purego

package shake

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/ciphers/cpu"
)

//go:generate env GOWORK=off go run -C ../../_asm ./shake

// Requires are the processor features that this package uses.
const Requires = cpu.AVX512F | cpu.ZMM

// Lanes are the sponges of an Eight.
const Lanes = 8

// Function is a hash or an extendable-output function of FIPS 202 section 6.
type Function struct {
	Rate   int  // bytes a block
	suffix byte // the bits behind the message, and the first of the padding
}

// The functions that ML-KEM uses.
var (
	SHA3x256 = Function{136, 0x06}
	SHA3x512 = Function{72, 0x06}
	SHAKE128 = Function{168, 0x1f}
	SHAKE256 = Function{136, 0x1f}
)

// Eight are eight states. It starts at a multiple of 64 bytes.
type Eight struct{ words [25][Lanes]uint64 }

// Absorb starts anew and takes a message in each lane, all of the first one's length.
func (s *Eight) Absorb(f Function, in *[Lanes][]byte) {
	*s = Eight{}
	at, n := 0, len(in[0])
	for ; n-at >= f.Rate; at += f.Rate {
		for lane := range Lanes {
			s.add(lane, in[lane][at:][:f.Rate])
		}
		permute(s)
	}
	for lane := range Lanes {
		s.last(f, lane, in[lane][at:n])
	}
}

// last takes what does not fill a block, and pads it (FIPS 202 section 5.1).
func (s *Eight) last(f Function, lane int, in []byte) {
	s.add(lane, in)
	var word [8]byte
	word[copy(word[:], in[len(in)&^7:])] = f.suffix
	s.words[len(in)/8][lane] ^= binary.LittleEndian.Uint64(word[:])
	s.words[f.Rate/8-1][lane] ^= 1 << 63
}

// add adds the whole words of in to a lane.
func (s *Eight) add(lane int, in []byte) {
	for i := range len(in) / 8 {
		s.words[i][lane] ^= binary.LittleEndian.Uint64(in[8*i:])
	}
}

// Squeeze writes each lane's next output, a multiple of 8 bytes and all of the
// first one's length. It begins at a block's start.
func (s *Eight) Squeeze(f Function, out *[Lanes][]byte) {
	for at := 0; at < len(out[0]); at += f.Rate {
		permute(s)
		end := min(at+f.Rate, len(out[0]))
		for lane := range Lanes {
			s.take(lane, out[lane][at:end])
		}
	}
}

// take copies whole words out of a lane.
func (s *Eight) take(lane int, out []byte) {
	for i := range len(out) / 8 {
		binary.LittleEndian.PutUint64(out[8*i:], s.words[i][lane])
	}
}

// permute applies Keccak-f[1600] to all states (FIPS 202 section 3.3).
//
//go:noescape
func permute(s *Eight)
