package dtlsadapter

import (
	"errors"
	"fmt"
)

// Errors for errors.Is. A Conn that its user closed returns net.ErrClosed, one whose
// peer closed io.EOF; deadlines give os.ErrDeadlineExceeded; exhausted sequence
// numbers record.ErrNumbersExhausted.
var (
	// ErrConfig says that a Config or an argument cannot be used.
	ErrConfig = errors.New("dtlsadapter: bad configuration")
	// ErrHandshake wraps what pion's handshake failed with.
	ErrHandshake = errors.New("dtlsadapter: handshake failed")
	// ErrPeerClosed says that the peer closed the connection before a Write.
	ErrPeerClosed = errors.New("dtlsadapter: connection closed by peer")
	// ErrReplaced says that the peer made a new connection from the same address.
	ErrReplaced = errors.New("dtlsadapter: connection replaced by a newer one of the peer")
	// ErrTooLong says that a payload is longer than MaxPlaintext.
	ErrTooLong = errors.New("dtlsadapter: payload is longer than a record may be")
)

// FieldError refuses a value of the caller's and names its field. It is an ErrConfig.
type FieldError struct {
	Field  string
	Reason string
}

// Error gives the field and the reason.
func (e *FieldError) Error() string { return "dtlsadapter: " + e.Field + ": " + e.Reason }

// Is makes the error an ErrConfig.
func (e *FieldError) Is(target error) bool { return target == ErrConfig }

// AlertError is a fatal alert of the peer's (RFC 5246 section 7.2), which ended the
// connection.
type AlertError struct{ Description byte }

// Error gives the alert's number, as the standard lists them.
func (e *AlertError) Error() string {
	return fmt.Sprintf("dtlsadapter: peer sent fatal alert %d", e.Description)
}
