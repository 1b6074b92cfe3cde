package pnum

import "fmt"

// MaxQUICLength is the longest form of a packet number on the wire.
const MaxQUICLength = 4

// QUICLength is the number of bytes, 1 to 4, in which a packet number may be
// sent when acked is the highest one that the peer acknowledged in that packet
// number space, or None.
//
// The form must hold more than twice the distance between the two (RFC 9000
// section 17.1). Where the distance is a power of two exactly, appendix A.2
// would take one byte less than that rule allows; the rule is kept.
func QUICLength(number, acked uint64) (int, error) {
	distance := number - acked // counts from -1 after None
	if number > MaxQUIC || acked != None && acked >= number {
		return 0, fmt.Errorf("%w: %d after %d", ErrRange, number, acked)
	}
	for length := 1; length <= MaxQUICLength; length++ {
		if distance < 1<<(8*length-1) {
			return length, nil
		}
	}
	return 0, fmt.Errorf("%w: %d is too far after %d", ErrRange, number, acked)
}

// QUIC recovers a packet number from the length bytes, 1 to 4, that arrived of it,
// when highest is the highest number received and authenticated in that space, or
// None (RFC 9000 appendix A.3). The answer is never above MaxQUIC.
func QUIC(truncated uint64, length int, highest uint64) uint64 {
	return nearest(truncated, uint(8*length), next(highest, MaxQUIC), MaxQUIC)
}

// next is the number expected after highest; it stays at limit, behind which
// there is none.
func next(highest, limit uint64) uint64 {
	if highest == None {
		return 0
	}
	return min(highest, limit-1) + 1
}
