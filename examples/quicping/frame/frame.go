// Package frame reads and writes the frames of QUIC (RFC 9000 section 19, RFC 9221) and
// its transport parameters (RFC 9000 section 18).
package frame

import (
	"errors"
	"fmt"
)

// Type is a frame's type. STREAM frames have eight, by what they carry.
type Type uint64

// The types.
const (
	Padding            Type = 0x00
	Ping               Type = 0x01
	Ack                Type = 0x02
	AckECN             Type = 0x03
	ResetStream        Type = 0x04
	StopSending        Type = 0x05
	Crypto             Type = 0x06
	NewToken           Type = 0x07
	Stream             Type = 0x08 // to 0x0f
	MaxData            Type = 0x10
	MaxStreamData      Type = 0x11
	MaxStreamsBidi     Type = 0x12
	MaxStreamsUni      Type = 0x13
	DataBlocked        Type = 0x14
	StreamDataBlocked  Type = 0x15
	StreamsBlockedBidi Type = 0x16
	StreamsBlockedUni  Type = 0x17
	NewConnectionID    Type = 0x18
	RetireConnectionID Type = 0x19
	PathChallenge      Type = 0x1a
	PathResponse       Type = 0x1b
	ConnectionClose    Type = 0x1c
	ApplicationClose   Type = 0x1d
	HandshakeDone      Type = 0x1e
	Datagram           Type = 0x30 // and 0x31, with a length
)

var names = map[Type]string{
	Padding: "PADDING", Ping: "PING", Ack: "ACK", AckECN: "ACK", ResetStream: "RESET_STREAM",
	StopSending: "STOP_SENDING", Crypto: "CRYPTO", NewToken: "NEW_TOKEN", MaxData: "MAX_DATA",
	MaxStreamData: "MAX_STREAM_DATA", MaxStreamsBidi: "MAX_STREAMS", MaxStreamsUni: "MAX_STREAMS",
	DataBlocked: "DATA_BLOCKED", StreamDataBlocked: "STREAM_DATA_BLOCKED",
	StreamsBlockedBidi: "STREAMS_BLOCKED", StreamsBlockedUni: "STREAMS_BLOCKED",
	NewConnectionID: "NEW_CONNECTION_ID", RetireConnectionID: "RETIRE_CONNECTION_ID",
	PathChallenge: "PATH_CHALLENGE", PathResponse: "PATH_RESPONSE", ConnectionClose: "CONNECTION_CLOSE",
	ApplicationClose: "CONNECTION_CLOSE", HandshakeDone: "HANDSHAKE_DONE", Datagram: "DATAGRAM", Datagram + 1: "DATAGRAM",
}

// IsStream reports whether t is one of the eight STREAM types.
func (t Type) IsStream() bool { return t&^7 == Stream }

// String is the name that the RFCs use.
func (t Type) String() string {
	if t.IsStream() {
		return "STREAM"
	}
	if name := names[t]; name != "" {
		return name
	}
	return fmt.Sprintf("frame(%#x)", uint64(t))
}

// Eliciting reports whether a packet with such a frame must be acknowledged (RFC 9002
// section 2).
func (t Type) Eliciting() bool {
	switch t {
	case Padding, Ack, AckECN, ConnectionClose, ApplicationClose:
		return false
	}
	return true
}

// EarlyAllowed reports whether Initial and Handshake packets may carry it (RFC 9000
// section 12.4).
func (t Type) EarlyAllowed() bool {
	switch t {
	case Padding, Ping, Ack, AckECN, Crypto, ConnectionClose:
		return true
	}
	return false
}

// Range is the packet numbers from Low to High, both in it.
type Range struct{ Low, High uint64 }

// Frame is one frame. What a field means depends on the type; the others are zero.
type Frame struct {
	Type   Type
	ID     uint64  // of a stream; sequence number of a connection ID
	Offset uint64  // of stream and CRYPTO data
	Fin    bool    // of a stream
	Code   uint64  // an error's
	Value  uint64  // limit, final size, type at fault, retire prior to, or bytes of padding
	Delay  uint64  // ACK: before the exponent
	Ranges []Range // ACK: the highest first
	Data   []byte  // data, token, reason, connection ID or path data, in the packet
	Token  []byte  // NEW_CONNECTION_ID: stateless reset token
}

// ErrEncoding is what RFC 9000 calls FRAME_ENCODING_ERROR.
var ErrEncoding = errors.New("frame: bad encoding")

// Read reads the first frame of a payload and returns what follows it. A run of padding
// is one frame.
func Read(payload []byte) (f Frame, rest []byte, err error) {
	r := Reader{Rest: payload}
	f.Type = Type(r.Varint())
	switch {
	case r.Bad:
	case f.Type.IsStream():
		f.readStream(&r)
	default:
		f.readOther(&r)
	}
	if r.Bad {
		return Frame{}, nil, fmt.Errorf("%w: %v", ErrEncoding, f.Type)
	}
	return f, r.Rest, nil
}

func (f *Frame) readStream(r *Reader) {
	f.ID = r.Varint()
	f.Fin = f.Type&1 != 0
	if f.Type&4 != 0 {
		f.Offset = r.Varint()
	}
	if f.Type&2 != 0 {
		f.Data = r.Block()
	} else {
		f.Data = r.Bytes(uint64(len(r.Rest)))
	}
	r.Bad = r.Bad || f.Offset+uint64(len(f.Data)) > MaxVarint
}

func (f *Frame) readOther(r *Reader) {
	switch f.Type {
	case Padding:
		f.readPadding(r)
	case Ping, HandshakeDone:
	case Ack, AckECN:
		f.readAck(r)
	case ResetStream:
		f.ID, f.Code, f.Value = r.Varint(), r.Varint(), r.Varint()
	case StopSending:
		f.ID, f.Code = r.Varint(), r.Varint()
	case Crypto:
		f.Offset, f.Data = r.Varint(), r.Block()
		r.Bad = r.Bad || f.Offset+uint64(len(f.Data)) > MaxVarint
	case NewToken:
		f.Data = r.Block()
		r.Bad = r.Bad || len(f.Data) == 0
	case MaxData, MaxStreamsBidi, MaxStreamsUni, DataBlocked, StreamsBlockedBidi, StreamsBlockedUni:
		f.Value = r.Varint()
	case MaxStreamData, StreamDataBlocked:
		f.ID, f.Value = r.Varint(), r.Varint()
	case RetireConnectionID:
		f.ID = r.Varint()
	case PathChallenge, PathResponse:
		f.Data = r.Bytes(8)
	default:
		f.readRare(r)
	}
}

func (f *Frame) readRare(r *Reader) {
	switch f.Type {
	case NewConnectionID:
		f.ID, f.Value = r.Varint(), r.Varint()
		f.Data = r.Bytes(uint64(r.Byte()))
		f.Token = r.Bytes(16)
		r.Bad = r.Bad || len(f.Data) < 1 || len(f.Data) > 20 || f.Value > f.ID
	case ConnectionClose:
		f.Code, f.Value, f.Data = r.Varint(), r.Varint(), r.Block()
	case ApplicationClose:
		f.Code, f.Data = r.Varint(), r.Block()
	case Datagram:
		f.Data = r.Bytes(uint64(len(r.Rest)))
	case Datagram + 1:
		f.Data = r.Block()
	default:
		r.Bad = true
	}
}

func (f *Frame) readPadding(r *Reader) {
	f.Value = 1
	for len(r.Rest) > 0 && r.Rest[0] == 0 {
		r.Rest = r.Rest[1:]
		f.Value++
	}
}

// readAck reads the ranges of RFC 9000 section 19.3.1.
func (f *Frame) readAck(r *Reader) {
	high := r.Varint()
	f.Delay = r.Varint()
	more := r.Varint()
	for {
		length := r.Varint()
		if r.Bad || length > high {
			r.Bad = true
			return
		}
		f.Ranges = append(f.Ranges, Range{high - length, high})
		if more == 0 {
			break
		}
		more--
		gap := r.Varint()
		if low := high - length; r.Bad || gap > MaxVarint-2 || gap+2 > low {
			r.Bad = true
			return
		} else {
			high = low - gap - 2
		}
	}
	if f.Type == AckECN {
		_, _, _ = r.Varint(), r.Varint(), r.Varint()
	}
}
