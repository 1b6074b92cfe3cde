package dtlsadapter

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/dtls/v2"
	"go.uber.org/goleak"
)

// endless is a transport whose deadlines do nothing: a write that blocks returns
// only once it is closed.
type endless struct{ net.Conn }

func (endless) SetDeadline(time.Time) error      { return nil }
func (endless) SetReadDeadline(time.Time) error  { return nil }
func (endless) SetWriteDeadline(time.Time) error { return nil }

func asItIs(c net.Conn) net.Conn        { return c }
func withoutLimits(c net.Conn) net.Conn { return endless{c} }

// ends runs one side over a net.Pipe, where a write waits for a reader, and wants its
// context to end it at once. feed is all that the other end does.
func ends(t *testing.T, start maker, cfg *dtls.Config, dress func(net.Conn) net.Conn, feed func(net.Conn)) {
	t.Helper()
	near, far := net.Pipe()
	defer far.Close()
	go feed(far)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := start(ctx, dress(near), cfg)
		ended <- err
	}()
	select {
	case err := <-ended:
		wantErr(t, err, ErrHandshake)
		wantErr(t, err, context.DeadlineExceeded)
		if gone(err) {
			t.Errorf("the context's end is blamed on the transport: %v", err)
		}
	case <-time.After(long):
		t.Error("the context has ended, and the handshake has not")
		_ = far.Close()
		<-ended
	}
	if _, err := near.Write([]byte{0}); err == nil {
		t.Error("the transport is still open")
	}
}

// TestContextEndsClientThatNobodyReads: its first ClientHello blocks.
func TestContextEndsClientThatNobodyReads(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := newEngine(t)
	for _, dress := range []func(net.Conn) net.Conn{asItIs, withoutLimits} {
		cc, _ := configs(t, gcm128)
		ends(t, ourClient(e), cc, dress, func(net.Conn) {})
	}
}

// TestContextEndsServerThatNobodyReads: its answer to a ClientHello blocks.
func TestContextEndsServerThatNobodyReads(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := newEngine(t)
	for _, dress := range []func(net.Conn) net.Conn{asItIs, withoutLimits} {
		cc, sc := configs(t, gcm128)
		hello := firstHello(t, ourClient(e), cc)
		ends(t, ourServer(e), sc, dress, func(far net.Conn) { _, _ = far.Write(hello) })
	}
}

// firstHello is the first datagram of a client.
func firstHello(t *testing.T, start maker, cfg *dtls.Config) []byte {
	t.Helper()
	near, far := net.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = start(ctx, near, cfg)
	}()
	buffer := make([]byte, 2000)
	n, err := far.Read(buffer)
	must(t, err)
	cancel()
	_ = far.Close()
	<-ended
	return buffer[:n]
}

// TestContextThatHasEnded sends nothing of use and gives no connection.
func TestContextThatHasEnded(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	near, far := net.Pipe()
	defer far.Close()
	cc, _ := configs(t, gcm128)
	_, err := Client(ctx, near, cc, newEngine(t))
	wantErr(t, err, context.Canceled)
}

// TestContextOfAnEstablishedConnection no longer matters to it.
func TestContextOfAnEstablishedConnection(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	ctx, cancel := context.WithCancel(context.Background())
	c, s, cerr, serr := try(ctx, newPipe(), ourClient(e), ourServer(e), cc, sc)
	must(t, errors.Join(cerr, serr))
	cancel()
	time.Sleep(10 * time.Millisecond)
	exchange(t, c, s)
	must(t, c.Close())
	must(t, s.Close())
}

// TestHandshakeCancelled ends it at once, and not with pion's next repetition.
func TestHandshakeCancelled(t *testing.T) {
	for server := range 2 {
		synctest.Test(t, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			cc, sc := configs(t, gcm128)
			e := newEngine(t)
			start, cfg := ourClient(e), cc
			if server == 1 {
				start, cfg = ourServer(e), sc
			}
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(20*time.Millisecond, cancel)
			begin := time.Now()
			_, err := start(ctx, newPipe().a, cfg)
			wantErr(t, err, context.Canceled)
			wantErr(t, err, ErrHandshake)
			if took := time.Since(begin); took > 20*time.Millisecond+pionGrace {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestTransportClosedDuringHandshake: whoever closes the transport ends the handshake.
func TestTransportClosedDuringHandshake(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	cc, _ := configs(t, gcm128)
	p := newPipe()
	time.AfterFunc(20*time.Millisecond, func() { _ = p.a.Close() })
	_, err := Client(patience(t), p.a, cc, newEngine(t))
	wantErr(t, err, ErrHandshake)
}
