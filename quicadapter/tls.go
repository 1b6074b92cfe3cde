package quicadapter

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"

	"github.com/sealburst/sealburst/ciphers"
)

// TLS is the handshake of one connection: it drives a crypto/tls.QUICConn and installs
// the keys that come out of it. It moves no packets; the stack carries CRYPTO data from
// Take to the peer, and from the peer to Receive. A TLS belongs to one goroutine at a time.
type TLS struct {
	conn *Conn
	quic *tls.QUICConn

	data      [keyTypes][]byte // to be sent in CRYPTO frames
	peer      []byte
	complete  bool
	earlyLost bool
}

// TLSConfig describes a handshake. All fields are needed.
type TLSConfig struct {
	Conn       *Conn       // takes the keys; its Side decides who begins
	TLS        *tls.Config // with MinVersion tls.VersionTLS13
	Parameters []byte      // our transport parameters, encoded (RFC 9000 section 18)
}

// NewTLS prepares a handshake; Start begins it. It returns ErrConfig, naming the field.
func NewTLS(c TLSConfig) (*TLS, error) {
	switch {
	case c.Conn == nil:
		return nil, fmt.Errorf("%w: Conn is missing", ErrConfig)
	case c.TLS == nil || c.TLS.MinVersion < tls.VersionTLS13:
		return nil, fmt.Errorf("%w: TLS is missing, or allows versions before 1.3", ErrConfig)
	}
	t := &TLS{conn: c.Conn}
	config := &tls.QUICConfig{TLSConfig: c.TLS}
	if c.Conn.Side() == Client {
		t.quic = tls.QUICClient(config)
	} else {
		t.quic = tls.QUICServer(config)
	}
	t.quic.SetTransportParameters(c.Parameters)
	return t, nil
}

// Start begins the handshake. A client then has its first CRYPTO data to send. Errors
// wrap a tls.AlertError where TLS has one, here and in Receive.
func (t *TLS) Start(ctx context.Context) error {
	if err := t.quic.Start(ctx); err != nil {
		return err
	}
	return t.drain()
}

// Receive takes CRYPTO data that came in packets of that type, in order and without gaps.
func (t *TLS) Receive(in Type, data []byte) error {
	level, err := levelOf(in)
	if err != nil {
		return err
	}
	if err := t.quic.HandleData(level, data); err != nil {
		return err
	}
	return t.drain()
}

// Take hands out the CRYPTO data that are to be sent in packets of that type, and
// forgets them.
func (t *TLS) Take(out Type) []byte {
	if !out.HasKeys() {
		return nil
	}
	data := t.data[out]
	t.data[out] = nil
	return data
}

// Complete reports that the handshake is complete (RFC 9001 section 4.1.1). It is
// confirmed, for Conn.Confirm, at the server then, and at the client with HANDSHAKE_DONE.
func (t *TLS) Complete() bool { return t.complete }

// EarlyRejected reports that the server refused 0-RTT; what was sent so must be sent again.
func (t *TLS) EarlyRejected() bool { return t.earlyLost }

// PeerParameters are the peer's transport parameters, nil until they are known. They are
// authenticated once the handshake is complete.
func (t *TLS) PeerParameters() []byte { return t.peer }

// State describes the TLS session.
func (t *TLS) State() tls.ConnectionState { return t.quic.ConnectionState() }

// SendTicket makes a server's session ticket, which Take then has for OneRTT.
func (t *TLS) SendTicket(early bool) error {
	if err := t.quic.SendSessionTicket(tls.QUICSessionTicketOptions{EarlyData: early}); err != nil {
		return err
	}
	return t.drain()
}

// Close ends a handshake that is under way. It closes no keys.
func (t *TLS) Close() error { return t.quic.Close() }

// drain handles all events that are there. An event's Data are valid until the next.
func (t *TLS) drain() error {
	for {
		e := t.quic.NextEvent()
		if e.Kind == tls.QUICNoEvent {
			return nil
		}
		if err := t.handle(&e); err != nil {
			return err
		}
	}
}

func (t *TLS) handle(e *tls.QUICEvent) error {
	switch e.Kind {
	case tls.QUICSetReadSecret:
		return t.install(e, ciphers.Opening)
	case tls.QUICSetWriteSecret:
		return t.install(e, ciphers.Sealing)
	case tls.QUICWriteData:
		out, err := typeOf(e.Level)
		if err != nil {
			return err
		}
		t.data[out] = append(t.data[out], e.Data...)
	case tls.QUICTransportParameters:
		t.peer = bytes.Clone(e.Data)
	case tls.QUICRejectedEarlyData:
		t.earlyLost = true
		t.conn.Discard(ZeroRTT)
	case tls.QUICHandshakeDone:
		t.complete = true
	case tls.QUICErrorEvent:
		return e.Err
	}
	return nil
}

func (t *TLS) install(e *tls.QUICEvent, d ciphers.Direction) error {
	typ, err := typeOf(e.Level)
	if err != nil {
		return err
	}
	return t.conn.Install(typ, d, Suite(e.Suite), e.Data)
}

var levels = [keyTypes]tls.QUICEncryptionLevel{
	Initial: tls.QUICEncryptionLevelInitial, ZeroRTT: tls.QUICEncryptionLevelEarly,
	Handshake: tls.QUICEncryptionLevelHandshake, OneRTT: tls.QUICEncryptionLevelApplication,
}

// levelOf is the level of TLS that packets of a type carry.
func levelOf(t Type) (tls.QUICEncryptionLevel, error) {
	if !t.HasKeys() {
		return 0, fmt.Errorf("%w: Type %v carries no CRYPTO data", ErrConfig, t)
	}
	return levels[t], nil
}

func typeOf(level tls.QUICEncryptionLevel) (Type, error) {
	for t := Initial; t.HasKeys(); t++ {
		if levels[t] == level {
			return t, nil
		}
	}
	return 0, fmt.Errorf("%w: TLS has a level %v", ErrConfig, level)
}
