package record

import (
	"errors"
	"fmt"
	"math"
	"slices"

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
const Unlimited uint64 = math.MaxUint64

// Limits bound the use of one key. The zero value is invalid. A protocol of one's own sets
// all fields but MaxEpoch to more than zero, Unlimited where it has no limit. What an
// algorithm bears does not depend on the protocol: the Sealed and Forged that LimitsFor has
// for DTLS13 or QUIC are a good start.
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
	switch p {
	case DTLS12:
		l, ok = dtls12Limits(a, tagSize)
	case DTLS13:
		l, ok = dtls13Limits(a, tagSize)
	case QUIC:
		l, ok = quicLimits(a, tagSize)
	case ESP:
		l, ok = espLimits(a, tagSize, math.MaxUint32)
	case ESPESN:
		l, ok = espLimits(a, tagSize, math.MaxUint64)
	}
	if !ok {
		return Limits{}, fmt.Errorf("%w for %v with %v and a tag of %d bytes", ErrNoLimits, p, a, tagSize)
	}
	return l, nil
}

// dtls12Limits: RFC 6347 section 4.1 ends sequence numbers and epochs and sets no other
// limit. RFC 9325 section 4.4 asks to change keys where TLS 1.3 would, 2^24.5 records
// for GCM. DTLS 1.2 has no key update, so that is a recommendation here and no wall.
// It also asks to close at the integrity limit, for which those of RFC 9147 section
// 4.5.3 are taken; CCM_8, which has none there, gets that of CCM.
func dtls12Limits(a ciphers.Algorithm, tagSize int) (l Limits, ok bool) {
	l = Limits{MaxNumber: 1<<48 - 1, MaxEpoch: 1<<16 - 1, Sealed: Unlimited, Rekey: Unlimited}
	switch a {
	case ciphers.AES128GCM, ciphers.AES256GCM:
		l.Rekey, l.Forged = pow24and5, 1<<36
	case ciphers.ChaCha20Poly1305:
		l.Forged = 1 << 36
	case ciphers.AES128CCM, ciphers.AES256CCM:
		l.Rekey, l.Forged = 1<<23, pow23and5
		return l, tagSize == 16 || tagSize == 8
	}
	return l, l.Forged != 0 && tagSize == 16
}

// dtls13Limits: RFC 8446 section 5.5 and RFC 9147 section 4.5.3; the epoch's from RFC
// 9147 section 8. CCM_8 must not be used without safeguards that nobody has here.
func dtls13Limits(a ciphers.Algorithm, tagSize int) (l Limits, ok bool) {
	l = Limits{MaxNumber: 1<<48 - 1, MaxEpoch: 1<<48 - 1, Rekey: Unlimited}
	switch a {
	case ciphers.AES128GCM, ciphers.AES256GCM:
		l.Sealed, l.Forged = pow24and5, 1<<36
	case ciphers.ChaCha20Poly1305:
		l.Sealed, l.Forged = Unlimited, 1<<36
	case ciphers.AES128CCM:
		l.Sealed, l.Forged = 1<<23, pow23and5
	}
	return l, l.Sealed != 0 && tagSize == 16
}

// quicLimits: RFC 9001 section 6.6. A key update counts as an epoch.
func quicLimits(a ciphers.Algorithm, tagSize int) (l Limits, ok bool) {
	l = Limits{MaxNumber: 1<<62 - 1, MaxEpoch: Unlimited, Rekey: Unlimited}
	switch a {
	case ciphers.AES128GCM, ciphers.AES256GCM:
		l.Sealed, l.Forged = 1<<23, 1<<52
	case ciphers.ChaCha20Poly1305:
		l.Sealed, l.Forged = Unlimited, 1<<36
	case ciphers.AES128CCM:
		l.Sealed, l.Forged = pow21and5, pow21and5
	}
	return l, l.Sealed != 0 && tagSize == 16
}

// espLimits: RFC 4303 section 3.3.3 forbids the number to cycle, and sets no other limit.
func espLimits(a ciphers.Algorithm, tagSize int, maxNumber uint64) (l Limits, ok bool) {
	l = Limits{MaxNumber: maxNumber, Sealed: Unlimited, Rekey: Unlimited, Forged: Unlimited}
	return l, slices.Contains(a.TagSizes(), tagSize)
}
