package espvpn

import "errors"

// ErrUsedUp says that an SA's key has protected as many packets as its sequence numbers
// can tell apart.
var ErrUsedUp = errors.New("its sequence numbers are used up: it needs a new key")

// errMisfit says that SAs do not go together, or not with how the gateway runs.
var errMisfit = errors.New("misfit")

// errNumbers says that sequence numbers could not be written down.
var errNumbers = errors.New("sequence numbers")

// errPlain marks errors of the plain side, errLink those of the protected side.
var (
	errPlain = errors.New("plain side")
	errLink  = errors.New("protected side")
)
