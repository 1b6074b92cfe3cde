//go:build amd64 && !purego

package cbchmac

import (
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/aeskey"
)

//go:generate env GOWORK=off go run -C _asm . -part key

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

// expandAES fills the round keys in the order of encryption.
func (s *schedule) expandAES(key []byte) {
	aeskey.Expand(unsafe.Slice(&s.rounds[0][0], aeskey.Size(len(key))), key)
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
