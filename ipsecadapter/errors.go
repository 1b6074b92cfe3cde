package ipsecadapter

import "errors"

var (
	// ErrConfig says that a configuration or an argument cannot be used.
	ErrConfig = errors.New("ipsecadapter: bad configuration")
	// ErrExists says that the database has an SA of that SPI and those addresses.
	ErrExists = errors.New("ipsecadapter: SA exists")
)

// FieldError refuses a value of the caller's and names its field. It is an ErrConfig.
type FieldError struct {
	Field  string
	Reason string
}

// Error gives the field and the reason.
func (e *FieldError) Error() string { return "ipsecadapter: " + e.Field + ": " + e.Reason }

// Is makes the error an ErrConfig.
func (e *FieldError) Is(target error) bool { return target == ErrConfig }
