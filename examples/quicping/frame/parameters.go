package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// ErrParameters is what RFC 9000 calls TRANSPORT_PARAMETER_ERROR.
var ErrParameters = errors.New("frame: bad transport parameters")

// The parameters that are known here (RFC 9000 section 18.2, RFC 9368 section 3).
const (
	idOriginalDestination = 0x00
	idMaxIdleTimeout      = 0x01
	idResetToken          = 0x02
	idMaxPayload          = 0x03
	idInitialMaxData      = 0x04
	idMaxStreamDataUni    = 0x07
	idMaxStreamsUni       = 0x09
	idAckDelayExponent    = 0x0a
	idMaxAckDelay         = 0x0b
	idNoMigration         = 0x0c
	idActiveIDLimit       = 0x0e
	idInitialSource       = 0x0f
	idRetrySource         = 0x10
	idVersionInformation  = 0x11
)

// Parameters are one side's transport parameters. A connection ID that is nil is absent.
type Parameters struct {
	OriginalDestination []byte
	InitialSource       []byte
	RetrySource         []byte
	ResetToken          []byte
	MaxIdleTimeout      time.Duration // 0: none
	AckDelayExponent    uint64
	MaxAckDelay         time.Duration
	ChosenVersion       uint32 // of version_information; 0: absent
	AvailableVersions   []uint32

	MaxPayload       uint64
	InitialMaxData   uint64
	MaxStreamDataUni uint64
	MaxStreamsUni    uint64
}

// Append appends a client's parameters.
func (p *Parameters) Append(b []byte) []byte {
	b = appendParameter(b, idInitialSource, p.InitialSource)
	b = appendParameter(b, idNoMigration, nil)
	for _, v := range []struct{ id, value uint64 }{
		{idMaxIdleTimeout, uint64(p.MaxIdleTimeout.Milliseconds())},
		{idMaxPayload, p.MaxPayload},
		{idInitialMaxData, p.InitialMaxData},
		{idMaxStreamDataUni, p.MaxStreamDataUni},
		{idMaxStreamsUni, p.MaxStreamsUni},
	} {
		if v.value != 0 {
			b = appendParameter(b, v.id, AppendVarint(nil, v.value))
		}
	}
	versions := binary.BigEndian.AppendUint32(nil, p.ChosenVersion)
	for _, v := range p.AvailableVersions {
		versions = binary.BigEndian.AppendUint32(versions, v)
	}
	return appendParameter(b, idVersionInformation, versions)
}

func appendParameter(b []byte, id uint64, value []byte) []byte {
	b = AppendVarint(AppendVarint(b, id), uint64(len(value)))
	return append(b, value...)
}

// ReadParameters reads a server's parameters and fills in the defaults. It returns
// ErrParameters for what RFC 9000 section 18 does not allow.
func ReadParameters(b []byte) (*Parameters, error) {
	p := &Parameters{AckDelayExponent: 3, MaxAckDelay: 25 * time.Millisecond, MaxPayload: 65527}
	seen := map[uint64]bool{}
	r := Reader{Rest: b}
	for len(r.Rest) > 0 {
		id := r.Varint()
		value := r.Block()
		if r.Bad {
			return nil, fmt.Errorf("%w: cut short", ErrParameters)
		}
		if seen[id] {
			return nil, fmt.Errorf("%w: %#x comes twice", ErrParameters, id)
		}
		seen[id] = true
		if !p.take(id, value) {
			return nil, fmt.Errorf("%w: %#x is out of range", ErrParameters, id)
		}
	}
	return p, nil
}

// take takes one parameter in and reports whether its value is allowed.
func (p *Parameters) take(id uint64, value []byte) bool {
	switch id {
	case idOriginalDestination:
		return takeID(&p.OriginalDestination, value)
	case idInitialSource:
		return takeID(&p.InitialSource, value)
	case idRetrySource:
		return takeID(&p.RetrySource, value)
	case idResetToken:
		p.ResetToken = bytes.Clone(value)
		return len(value) == 16
	case idVersionInformation:
		return p.takeVersions(value)
	case idMaxIdleTimeout, idMaxPayload, idAckDelayExponent, idMaxAckDelay, idActiveIDLimit:
		return p.takeNumber(id, value)
	}
	return true // others are not needed here, or not known, and to be ignored
}

func takeID(id *[]byte, value []byte) bool {
	*id = append([]byte{}, value...)
	return len(value) <= 20
}

func (p *Parameters) takeNumber(id uint64, value []byte) bool {
	r := Reader{Rest: value}
	n := r.Varint()
	if r.Bad || len(r.Rest) != 0 {
		return false
	}
	switch id {
	case idMaxIdleTimeout:
		p.MaxIdleTimeout = time.Duration(min(n, uint64(time.Hour.Milliseconds()))) * time.Millisecond
	case idMaxPayload:
		p.MaxPayload = n
		return n >= 1200
	case idAckDelayExponent:
		p.AckDelayExponent = n
		return n <= 20
	case idMaxAckDelay:
		p.MaxAckDelay = time.Duration(n) * time.Millisecond
		return n < 1<<14
	case idActiveIDLimit:
		return n >= 2
	}
	return true
}

func (p *Parameters) takeVersions(value []byte) bool {
	if len(value) < 4 || len(value)%4 != 0 {
		return false
	}
	p.ChosenVersion = binary.BigEndian.Uint32(value)
	for list := value[4:]; len(list) > 0; list = list[4:] {
		p.AvailableVersions = append(p.AvailableVersions, binary.BigEndian.Uint32(list))
	}
	return p.ChosenVersion != 0
}
