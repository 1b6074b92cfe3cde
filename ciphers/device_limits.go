package ciphers

// Limits is what an implementation takes where that is less than this package
// allows. What goes beyond is refused, and never done otherwise.
type Limits struct {
	// AAD is the most associated data in bytes, Prefix included; a packet with more
	// gets StatusAAD. Zero allows none.
	AAD int
	// Message is the longest payload in bytes, and under an algorithm of
	// EncryptThenMAC the most of associated data, IV and payload together; a packet
	// with more gets StatusTooLong.
	Message int
	// TagSizes are the tags in bytes. Expand refuses another with a *FieldError,
	// which then making the key fails with.
	TagSizes []int
}

// Limited is an AEAD with limits of its own.
type Limited interface {
	AEAD
	Limits() Limits
}

// Refuses is the status of a packet of that many bytes that goes beyond the limits,
// and StatusNone for one that does not. head counts associated data and, where it
// is authenticated with them, the IV.
func (l *Limits) Refuses(pair bool, aad, head, payload int) Status {
	switch {
	case aad > l.AAD:
		return StatusAAD
	case payload > l.Message || pair && head+payload > l.Message:
		return StatusTooLong
	}
	return StatusNone
}
