package record

import (
	"errors"
	"fmt"
	"math"

	"github.com/sealburst/sealburst/ciphers"
)

// Protocol is a record format, as far as its numbers and limits go.
type Protocol uint8

// The protocols. The zero value is invalid.
const (
	DTLS12 Protocol = iota + 1 // RFC 6347
	DTLS13                     // RFC 9147
	QUIC                       // RFC 9001 and RFC 9369
	ESP                        // RFC 4303, 32-bit sequence numbers
	ESPESN                     // RFC 4303, extended sequence numbers
	numProtocols
)

// String is the protocol's name.
func (p Protocol) String() string {
	if p == 0 || p >= numProtocols {
		return fmt.Sprintf("protocol(%d)", uint8(p))
	}
	return [numProtocols]string{DTLS12: "DTLS 1.2", DTLS13: "DTLS 1.3", QUIC: "QUIC", ESP: "ESP", ESPESN: "ESP with ESN"}[p]
}

// ErrNoLimits says that a protocol does not have that algorithm with that tag, or
// that it leaves the limit to be set and nobody can set it safely.
var ErrNoLimits = errors.New("record: no usage limits are defined")

// Unlimited stands where a standard sets no limit.
const Unlimited = math.MaxUint64

// Limits bound the use of one key. The zero value is invalid.
type Limits struct {
	MaxNumber uint64 // the highest number of the format
	MaxEpoch  uint64 // the highest epoch; 0 for formats without
	Sealed    uint64 // records that may be sealed
	Rekey     uint64 // records after which a new key is recommended, at the latest
	Forged    uint64 // records that may fail authentication
}

// Half powers of two, rounded down.
const (
	pow21and5 = 2965820  // 2^21.5
	pow23and5 = 11863283 // 2^23.5
	pow24and5 = 23726566 // 2^24.5
)

// LimitsFor is the table of usage limits. The tag size is in bytes.
func LimitsFor(p Protocol, a ciphers.Algorithm, tagSize int) (Limits, error) {
	l, ok := Limits{}, false
	switch kind := kindOf(a, tagSize); p {
	case DTLS12:
		l, ok = dtls12Limits(kind)
	case DTLS13:
		l, ok = dtls13Limits(kind)
	case QUIC:
		l, ok = quicLimits(kind)
	case ESP:
		l, ok = Limits{MaxNumber: 1<<32 - 1, Sealed: Unlimited, Rekey: Unlimited, Forged: Unlimited}, kind != unknown
	case ESPESN:
		l, ok = Limits{MaxNumber: 1<<64 - 1, Sealed: Unlimited, Rekey: Unlimited, Forged: Unlimited}, kind != unknown
	}
	if !ok {
		return Limits{}, fmt.Errorf("%w for %v with %v and a tag of %d bytes", ErrNoLimits, p, a, tagSize)
	}
	return l, nil
}

// kind is what the standards tell apart: the construction, and whether its tag is whole.
type kind uint8

const (
	unknown kind = iota
	gcm
	ccm
	chacha
	gcmShort
	ccmShort // CCM_8
)

func kindOf(a ciphers.Algorithm, tagSize int) kind {
	whole := tagSize == 16
	short := tagSize == 8 || tagSize == 12
	switch a {
	case ciphers.AES128GCM, ciphers.AES192GCM, ciphers.AES256GCM:
		return choose(whole, gcm, short, gcmShort)
	case ciphers.AES128CCM, ciphers.AES256CCM:
		return choose(whole, ccm, short, ccmShort)
	case ciphers.ChaCha20Poly1305:
		return choose(whole, chacha, false, unknown)
	}
	return unknown
}

func choose(whole bool, a kind, short bool, b kind) kind {
	switch {
	case whole:
		return a
	case short:
		return b
	}
	return unknown
}

// dtls12Limits: RFC 6347 section 4.1 ends sequence numbers and epochs and sets no other
// limit. RFC 9325 section 4.4 asks to change keys where TLS 1.3 would, 2^24.5 records
// for GCM. DTLS 1.2 has no key update, so that is a recommendation here and no wall.
// It also asks to close at the integrity limit, for which those of RFC 9147 section
// 4.5.3 are taken; CCM_8, which has none there, gets that of CCM.
func dtls12Limits(k kind) (Limits, bool) {
	l := Limits{MaxNumber: 1<<48 - 1, MaxEpoch: 1<<16 - 1, Sealed: Unlimited, Rekey: Unlimited}
	switch k {
	case gcm:
		l.Rekey, l.Forged = pow24and5, 1<<36
	case chacha:
		l.Forged = 1 << 36
	case ccm, ccmShort:
		l.Rekey, l.Forged = 1<<23, pow23and5
	default:
		return Limits{}, false
	}
	return l, true
}

// dtls13Limits: RFC 8446 section 5.5 and RFC 9147 section 4.5.3; the epoch's from RFC
// 9147 section 8. CCM_8 must not be used without safeguards that nobody has here.
func dtls13Limits(k kind) (Limits, bool) {
	l := Limits{MaxNumber: 1<<48 - 1, MaxEpoch: 1<<48 - 1, Rekey: Unlimited}
	switch k {
	case gcm:
		l.Sealed, l.Forged = pow24and5, 1<<36
	case chacha:
		l.Sealed, l.Forged = Unlimited, 1<<36
	case ccm:
		l.Sealed, l.Forged = 1<<23, pow23and5
	default:
		return Limits{}, false
	}
	return l, true
}

// quicLimits: RFC 9001 section 6.6. QUIC has no short tags; a key update counts as
// an epoch.
func quicLimits(k kind) (Limits, bool) {
	l := Limits{MaxNumber: 1<<62 - 1, MaxEpoch: Unlimited, Rekey: Unlimited}
	switch k {
	case gcm:
		l.Sealed, l.Forged = 1<<23, 1<<52
	case chacha:
		l.Sealed, l.Forged = Unlimited, 1<<36
	case ccm:
		l.Sealed, l.Forged = pow21and5, pow21and5
	default:
		return Limits{}, false
	}
	return l, true
}
