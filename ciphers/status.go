package ciphers

import (
	"errors"
	"fmt"
)

// Status is the outcome of one packet of a burst, or of one exchange of a batch.
type Status uint8

// The outcomes. Every one but OK leaves the packet's bytes as they were,
// except that a failed authentication zeroes what opening would have written,
// and that a packet refused for its mask or for a key of another engine may have
// its explicit nonce written already.
const (
	StatusNone       Status = iota // not processed yet
	StatusOK                       // sealed, or opened and authentic
	StatusAuth                     // authentication failed; the payload is zeroed
	StatusKey                      // Key or MaskKey is nil, of another engine, or not of the kind that the call needs
	StatusKeyClosed                // the key is closed
	StatusDirection                // a sealing key was asked to open, or the reverse
	StatusPayload                  // Off and Len reach outside Buf, or the payload is shorter than the tag
	StatusTailroom                 // no room for the tag behind the payload
	StatusTooLong                  // the payload is longer than the algorithm or MaxPayload allows
	StatusPlain                    // Plain is shorter than the plaintext
	StatusOverlap                  // Plain overlaps the payload without being the same bytes, or an explicit nonce or associated data
	StatusAAD                      // AADOff and AADLen reach outside Buf or into the payload, or there is too much
	StatusIV                       // IVOff reaches outside Buf or into the payload
	StatusSample                   // SampleOff and the 16 bytes behind it reach outside Buf
	StatusMaskRoom                 // the destination has no 16 bytes for this packet's mask
	StatusBurst                    // the burst is longer than MaxBurst
	StatusEngine                   // the engine is closed
	StatusBackend                  // the backend or its device failed
	StatusGroup                    // Group is no key-exchange group, or one that no backend serves
	StatusOperation                // Operation is none, or none of the group's
	StatusPrivate                  // Private has not the group's size, or is not a private key of the group
	StatusPublic                   // Public has not the group's size
	StatusCiphertext               // Ciphertext has not the group's size
	StatusSecret                   // Secret has not the group's size
	StatusSeed                     // Seed has not the operation's size, or makes no key
	StatusShare                    // the peer's share is not acceptable
	StatusBlock                    // the payload is not a multiple of the cipher's block
	StatusHigh                     // High has more bits than the nonce has room for
	numStatus
)

// NumStatus bounds the outcomes, for tables.
const NumStatus = int(numStatus)

// ErrAuth is the one error of a packet that is not authentic. It says nothing more.
var ErrAuth = errors.New("ciphers: authentication failed")

// ErrKeyClosed says that a key was used after Close.
var ErrKeyClosed = errors.New("ciphers: key is closed")

// ErrEngineClosed says that the engine is closed. Package engine has it as ErrClosed, and
// speaks in its text.
var ErrEngineClosed = errors.New("engine: closed")

// ErrShare is the one error of a peer's key share that is not acceptable: a point
// that is not on the curve or of low order, a number outside the group's range,
// an encapsulation key that is not reduced.
var ErrShare = errors.New("ciphers: key share refused")

// FieldError refuses a value of the caller's and names its field.
type FieldError struct {
	Field  string // as it stands in the struct: "Len", "Key", "IVOff"
	Reason string
}

// Error gives the field and the reason.
func (e *FieldError) Error() string { return "ciphers: " + e.Field + ": " + e.Reason }

var statuses = [numStatus]struct {
	name string
	err  error
}{
	StatusNone:      {"none", &FieldError{"Status", "packet was not processed"}},
	StatusOK:        {"ok", nil},
	StatusAuth:      {"auth", ErrAuth},
	StatusKey:       {"key", &FieldError{"Key", "missing, of another engine, or of another kind than the call needs"}},
	StatusKeyClosed: {"key-closed", ErrKeyClosed},
	StatusDirection: {"direction", &FieldError{"Key", "made for the other direction"}},
	StatusPayload:   {"payload", &FieldError{"Len", "payload outside Buf, or shorter than the tag"}},
	StatusTailroom:  {"tailroom", &FieldError{"Buf", "no room for the tag behind the payload"}},
	StatusTooLong:   {"too-long", &FieldError{"Len", "payload longer than the algorithm allows"}},
	StatusPlain:     {"plain", &FieldError{"Plain", "shorter than the plaintext"}},
	StatusOverlap:   {"overlap", &FieldError{"Plain", "overlaps the payload without being the same bytes, or an explicit nonce or associated data"}},
	StatusAAD:       {"aad", &FieldError{"AADOff", "associated data outside Buf, in the payload, or too long"}},
	StatusIV:        {"iv", &FieldError{"IVOff", "explicit nonce outside Buf or in the payload"}},
	StatusSample:    {"sample", &FieldError{"SampleOff", "sample outside Buf"}},
	StatusMaskRoom:  {"mask-room", &FieldError{"dst", "no 16 bytes for the mask"}},
	StatusBurst:     {"burst", &FieldError{"packets", "burst longer than MaxBurst"}},
	StatusEngine:    {"engine", ErrEngineClosed},
	StatusBackend:   {"backend", errors.New("ciphers: backend failed")},

	StatusGroup:      {"group", &FieldError{"Group", "no key-exchange group, or one that no backend serves"}},
	StatusOperation:  {"operation", &FieldError{"Operation", "none, or not one of the group's"}},
	StatusPrivate:    {"private", &FieldError{"Private", "wrong size, or no private key of the group"}},
	StatusPublic:     {"public", &FieldError{"Public", "wrong size"}},
	StatusCiphertext: {"ciphertext", &FieldError{"Ciphertext", "wrong size"}},
	StatusSecret:     {"secret", &FieldError{"Secret", "wrong size"}},
	StatusSeed:       {"seed", &FieldError{"Seed", "wrong size, or it makes no key of the group"}},
	StatusShare:      {"share", ErrShare},

	StatusBlock: {"block", &FieldError{"Len", "payload not a multiple of the cipher's block"}},
	StatusHigh:  {"high", &FieldError{"High", "above 24 bits, in a nonce of 11 bytes"}},
}

// String is a short name for tables and metrics.
func (s Status) String() string {
	if s >= numStatus {
		return fmt.Sprintf("status(%d)", uint8(s))
	}
	return statuses[s].name
}

// Err is nil for StatusOK, ErrAuth for StatusAuth, and for misuse an error that
// names the field at fault. It does not allocate.
func (s Status) Err() error {
	if s >= numStatus {
		return statuses[StatusNone].err
	}
	return statuses[s].err
}
