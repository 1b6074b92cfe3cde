package dtlsadapter

import (
	"errors"
	"fmt"
	"strings"
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

// handshakeError is an ErrHandshake with its causes. Its text says once what the texts of
// pion's errors and of our own begin with.
type handshakeError struct{ causes []error }

// failed is what a handshake failed with, and what else explains it: why the transport
// ended and why the engine did, if they have.
func failed(err error, further ...error) error {
	e := &handshakeError{[]error{err}}
	for _, more := range further {
		if more != nil && !errors.Is(err, more) {
			e.causes = append(e.causes, more)
		}
	}
	return e
}

// Error gives all causes on one line.
func (e *handshakeError) Error() string {
	texts := make([]string, len(e.causes))
	for i, cause := range e.causes {
		text := strings.TrimPrefix(cause.Error(), "handshake error: ")
		texts[i] = strings.ReplaceAll(text, "dtlsadapter: ", "")
	}
	return ErrHandshake.Error() + ": " + strings.Join(texts, "; ")
}

// Unwrap gives the causes, and ErrHandshake.
func (e *handshakeError) Unwrap() []error { return append([]error{ErrHandshake}, e.causes...) }

// AlertError is a fatal alert of the peer's (RFC 5246 section 7.2), which ended the
// connection.
type AlertError struct{ Description byte }

// Error gives the alert's number, as the standard lists them.
func (e *AlertError) Error() string {
	return fmt.Sprintf("dtlsadapter: peer sent fatal alert %d", e.Description)
}
