package vpn

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
)

// How often a client asks for its address, until the server answers the first time.
const (
	askEvery = 250 * time.Millisecond
	askTimes = 20
)

// ErrNoAssignment says that a server did not tell the client's address.
var ErrNoAssignment = errors.New("vpn: the server assigned no address")

// establish makes a session and asks for the client's address.
func (c *Client) establish(ctx context.Context) (*session, Assignment, error) {
	conn, err := c.dial(ctx)
	if err != nil {
		return nil, Assignment{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	assigned, err := ask(conn)
	if err != nil {
		_ = conn.Close()
		return nil, Assignment{}, err
	}
	c.Log.Info("session opened", "server", conn.RemoteAddr().String(), "suite", dtlsadapter.SuiteName(conn.Suite()),
		"address", assigned.Address.String(), "mtu", assigned.MTU)
	return &session{conn: conn, control: func([]byte) {}}, assigned, nil
}

// dialError is why a handshake came to nothing; it has been logged and counted.
type dialError struct{ error }

// Unwrap is what Dial failed with.
func (e dialError) Unwrap() error { return e.error }

// dial begins a handshake and waits for its end.
func (c *Client) dial(ctx context.Context) (*dtlsadapter.Conn, error) {
	level := slog.LevelInfo
	if c.attempts++; c.attempts > 1 {
		level = slog.LevelDebug
	}
	c.Log.Log(ctx, level, "connecting", "server", c.Server, "attempt", c.attempts)
	conn, err := c.Dial(ctx)
	if err != nil {
		c.Ledger.miss()
		c.Log.Warn("handshake failed", "server", c.Server, "reason", failure(err))
		return nil, dialError{err}
	}
	return conn, nil
}

// ask requests the client's address until the server tells it.
func ask(conn *dtlsadapter.Conn) (Assignment, error) {
	defer conn.SetReadDeadline(time.Time{})
	for range askTimes {
		if _, err := conn.Write([]byte{kindRequest}); err != nil && !tunnel.Refused(err) {
			return Assignment{}, err
		}
		if err := conn.SetReadDeadline(time.Now().Add(askEvery)); err != nil {
			return Assignment{}, err
		}
		a, err := readAssignment(conn)
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return a, err
		}
	}
	return Assignment{}, ErrNoAssignment
}

// readAssignment passes over everything else.
func readAssignment(conn *dtlsadapter.Conn) (Assignment, error) {
	message := make([]byte, dtlsadapter.MaxPlaintext)
	for {
		n, err := conn.Read(message)
		if err != nil {
			return Assignment{}, err
		}
		if a, err := parseAnswer(message[:n]); !errors.Is(err, ErrControl) {
			return a, err
		}
	}
}
