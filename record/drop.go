package record

import "github.com/sealburst/sealburst/ciphers"

// Drop says why a datagram or a record went no further. The zero value is none: it
// was not dropped. Every adapter counts by these causes.
type Drop uint8

// The causes.
const (
	DropNone           Drop = iota // not dropped
	DropTruncated                  // shorter than its headers say, or than the format allows
	DropMalformed                  // a field has a value that the format does not allow
	DropType                       // a content type or next header that is refused here
	DropUnknownSession             // no session has that address, SPI or connection ID
	DropEpoch                      // under a key that is not yet, or no longer, in use
	DropReplayed                   // the number was accepted before
	DropTooOld                     // the number is below the replay window
	DropUnauthentic                // authentication failed
	DropLimit                      // numbers or the use of the key are exhausted
	DropHeadroom                   // no room for the header in front
	DropTailroom                   // no room for the trailer and tag behind
	DropTooLong                    // longer than the format or the algorithm allows
	DropQueueFull                  // nobody fetched what came before
	DropClosed                     // the session, its key or the engine is closed
	DropFailed                     // the backend failed, or was handed what it cannot take
	DropExpired                    // the lifetime of the session is over
	DropFragment                   // a fragment where only whole packets are taken
	DropSelector                   // authentic, but not what the session may carry
	DropDummy                      // authentic, and sent to hide the traffic: nothing to deliver
	DropKeepalive                  // keeps a NAT's mapping open, and carries nothing
	DropIKE                        // a message for the key exchange that shares the port
	DropCongestion                 // the path is congested, which only loss can tell the receiver
	DropPathMTU                    // longer than the path takes once it is sealed
	DropSource                     // authentic, from an inner source address that is not the peer's
	numDrops
)

// NumDrops bounds the causes: every one is below it.
const NumDrops = int(numDrops)

var dropNames = [numDrops]string{
	DropNone:           "none",
	DropTruncated:      "truncated",
	DropMalformed:      "malformed",
	DropType:           "refused-type",
	DropUnknownSession: "unknown-session",
	DropEpoch:          "wrong-epoch",
	DropReplayed:       "replayed",
	DropTooOld:         "too-old",
	DropUnauthentic:    "unauthentic",
	DropLimit:          "limit-reached",
	DropHeadroom:       "no-headroom",
	DropTailroom:       "no-tailroom",
	DropTooLong:        "too-long",
	DropQueueFull:      "queue-full",
	DropClosed:         "closed",
	DropFailed:         "failed",
	DropExpired:        "expired",
	DropFragment:       "fragment",
	DropSelector:       "selector-mismatch",
	DropDummy:          "dummy",
	DropKeepalive:      "keepalive",
	DropIKE:            "ike",
	DropCongestion:     "congestion",
	DropPathMTU:        "path-mtu",
	DropSource:         "wrong-source",
}

// String is the lower-case name, fit for a metric's label.
func (d Drop) String() string {
	if d >= numDrops {
		return "unknown"
	}
	return dropNames[d]
}

// DropOf is the cause that a packet's status amounts to; DropNone for StatusOK.
func DropOf(status ciphers.Status) Drop {
	switch status {
	case ciphers.StatusOK:
		return DropNone
	case ciphers.StatusAuth:
		return DropUnauthentic
	case ciphers.StatusKeyClosed, ciphers.StatusEngine:
		return DropClosed
	case ciphers.StatusTailroom:
		return DropTailroom
	case ciphers.StatusTooLong:
		return DropTooLong
	case ciphers.StatusPayload:
		return DropTruncated
	}
	return DropFailed
}
