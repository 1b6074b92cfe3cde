package record

import "errors"

// ErrConfig says that a configuration cannot be. Such an error is a *FieldError.
var ErrConfig = errors.New("record: bad configuration")

// FieldError refuses a value of the caller's and names its field. It is an ErrConfig.
type FieldError struct {
	Field  string // as it stands in the configuration: "First", "Limits.Rekey"
	Reason string
	cause  error
}

// Error gives the field and the reason.
func (e *FieldError) Error() string { return "record: " + e.Field + ": " + e.Reason }

// Is makes the error an ErrConfig.
func (e *FieldError) Is(target error) bool { return target == ErrConfig }

// Unwrap gives replay.ErrSize for a Window, and nil else.
func (e *FieldError) Unwrap() error { return e.cause }
