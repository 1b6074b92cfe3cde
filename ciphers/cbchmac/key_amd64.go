//go:build amd64 && !purego

package cbchmac

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

//go:generate env GOWORK=off go run -C _asm . -part key

// subWord is SubWord of FIPS 197 section 5.2, in constant time.
func subWord(word uint32) uint32

// invMixColumns is the transformation of FIPS 197 section 5.3.3, of a round key.
//
//go:noescape
func invMixColumns(key *byte)

// schedule is the expanded key of a lane tier.
type schedule struct {
	inner, outer [8]uint32 // the states behind the HMAC key's two blocks (RFC 2104)
	rounds       [15][16]byte
}

func scheduleOf(p *ciphers.Packet, slot int) *schedule {
	return (*schedule)(unsafe.Pointer(unsafe.SliceData(p.Key.State(slot).Schedule())))
}

// expandAES fills the round keys in the order of encryption (FIPS 197 section 5.2).
func (s *schedule) expandAES(key []byte) {
	words := len(key) / 4
	all := unsafe.Slice(&s.rounds[0][0], 16*(words+7))
	copy(all, key)
	rcon := uint32(1)
	for i := words; i < len(all)/4; i++ {
		w := binary.LittleEndian.Uint32(all[4*i-4:])
		switch {
		case i%words == 0:
			w = bits.RotateLeft32(subWord(w), -8) ^ rcon
			rcon = rcon<<1 ^ rcon>>7*0x11b
		case words == 8 && i%words == 4:
			w = subWord(w)
		}
		w ^= binary.LittleEndian.Uint32(all[4*(i-words):])
		binary.LittleEndian.PutUint32(all[4*i:], w)
	}
}

// invert turns the round keys round for the equivalent inverse cipher (FIPS 197
// section 5.3.5).
func (s *schedule) invert(rounds int) {
	for i, j := 0, rounds; i < j; i, j = i+1, j-1 {
		s.rounds[i], s.rounds[j] = s.rounds[j], s.rounds[i]
	}
	for i := 1; i < rounds; i++ {
		invMixColumns(&s.rounds[i][0])
	}
}
