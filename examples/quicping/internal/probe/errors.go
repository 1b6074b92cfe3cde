package probe

import (
	"crypto/tls"
	"errors"
	"fmt"

	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// Errors of Run, for errors.Is. Each is one clear line.
var (
	ErrNoAnswer = errors.New("no answer")
	ErrIdle     = errors.New("the server fell silent")
	ErrReset    = errors.New("the server reset the connection: it has lost its state")
	ErrVersions = errors.New("no version in common")
	ErrLost     = errors.New("pings were lost")
)

// code is a transport error code (RFC 9000 section 20.1).
type code uint64

const (
	noError              code = 0x00
	internalError        code = 0x01
	flowControlError     code = 0x03
	streamLimitError     code = 0x04
	streamStateError     code = 0x05
	frameEncodingError   code = 0x07
	parameterError       code = 0x08
	idLimitError         code = 0x09
	protocolViolation    code = 0x0a
	cryptoBufferExceeded code = 0x0d
	keyUpdateError       code = 0x0e
	aeadLimitReached     code = 0x0f
	versionNegotiation   code = 0x11 // RFC 9368 section 5
	cryptoError          code = 0x100
	applicationError     code = 0x0c
)

var codeNames = map[code]string{
	noError: "NO_ERROR", internalError: "INTERNAL_ERROR", 0x02: "CONNECTION_REFUSED",
	flowControlError: "FLOW_CONTROL_ERROR", streamLimitError: "STREAM_LIMIT_ERROR",
	streamStateError: "STREAM_STATE_ERROR", 0x06: "FINAL_SIZE_ERROR", frameEncodingError: "FRAME_ENCODING_ERROR",
	parameterError: "TRANSPORT_PARAMETER_ERROR", idLimitError: "CONNECTION_ID_LIMIT_ERROR",
	protocolViolation: "PROTOCOL_VIOLATION", 0x0b: "INVALID_TOKEN", applicationError: "APPLICATION_ERROR",
	cryptoBufferExceeded: "CRYPTO_BUFFER_EXCEEDED", keyUpdateError: "KEY_UPDATE_ERROR",
	aeadLimitReached: "AEAD_LIMIT_REACHED", 0x10: "NO_VIABLE_PATH", versionNegotiation: "VERSION_NEGOTIATION_ERROR",
}

// String is the name that the RFCs use; a TLS alert is named by its number.
func (c code) String() string {
	if name := codeNames[c]; name != "" {
		return name
	}
	if c >= cryptoError && c < cryptoError+0x100 {
		return fmt.Sprintf("CRYPTO_ERROR: %v", tls.AlertError(c-cryptoError))
	}
	return fmt.Sprintf("error %#x", uint64(c))
}

// violation is what the server did wrong, and what it is told in CONNECTION_CLOSE.
type violation struct {
	code   code
	at     frame.Type
	reason string
}

// Error says so in a line.
func (v *violation) Error() string { return fmt.Sprintf("%v: %s", v.code, v.reason) }

func violated(c code, at frame.Type, format string, a ...any) error {
	return &violation{c, at, fmt.Sprintf(format, a...)}
}

// RefusalError is a CONNECTION_CLOSE of the server's.
type RefusalError struct {
	Code        uint64
	Application bool // the code is the application protocol's
	Reason      string
}

// Error names the code, and quotes the reason, which is the server's text.
func (r *RefusalError) Error() string {
	what := code(r.Code).String()
	if r.Application {
		what = fmt.Sprintf("application error %#x", r.Code)
	}
	if r.Reason != "" {
		what += fmt.Sprintf(" %.200q", r.Reason)
	}
	return "the server closed the connection: " + what
}

// offer is a Version Negotiation packet that lists other versions than ours.
type offer struct{ versions []quicadapter.Version }

// Error lists what the server offers.
func (o *offer) Error() string {
	text := "the server offers"
	for _, v := range o.versions {
		text += fmt.Sprintf(" %#x", uint32(v))
	}
	return text
}

// closeCode is what the server is told of an error, and reports false for errors after
// which there is nothing to tell.
func closeCode(err error) (c code, at frame.Type, tell bool) {
	var v *violation
	var alert tls.AlertError
	switch {
	case err == nil, errors.Is(err, ErrLost):
		return noError, 0, true
	case errors.As(err, &v):
		return v.code, v.at, true
	case errors.As(err, &alert):
		return cryptoError + code(alert), frame.Crypto, true
	case errors.Is(err, quicadapter.ErrKeyUpdate):
		return keyUpdateError, 0, true
	case errors.Is(err, quicadapter.ErrReservedBits):
		return protocolViolation, 0, true
	case errors.Is(err, record.ErrIntegrityLimit):
		return aeadLimitReached, 0, true
	}
	return 0, 0, false
}
