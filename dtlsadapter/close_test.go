package dtlsadapter

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
	"go.uber.org/goleak"
)

func TestCloseSendsCloseNotify(t *testing.T) {
	for i := range suites {
		p := newPipe()
		client, server, w := tapped(t, suites[i].id, p)
		must(t, client.Close())
		waitEOF(t, server)
		sent := recordsOf(p.a)
		plain, err := w.client.open(sent[len(sent)-1])
		if err != nil || plain[0] != alertWarning || plain[1] != alertCloseNotify {
			t.Errorf("%s: the last record holds %x, %v", suites[i].name, plain, err)
		}
		if _, err := server.Write([]byte("x")); !errors.Is(err, ErrPeerClosed) {
			t.Errorf("write after the peer's close: %v", err)
		}
		wantErr(t, client.Close(), net.ErrClosed)
	}
}

func TestPionUnderstandsClose(t *testing.T) {
	e := newEngine(t)
	cc, sc := configs(t, gcm128)
	c, s := connect(t, newPipe(), ourClient(e), pionServer, cc, sc)
	must(t, c.Close())
	if _, err := s.Read(make([]byte, 10)); !errors.Is(err, io.EOF) {
		t.Errorf("pion read %v", err)
	}
	unlessPionLosesIt(t, func() error {
		c, s = connect(t, newPipe(), ourClient(e), pionServer, cc, sc)
		exchange(t, c, s)
		must(t, s.Close())
		return goodbye(t, c)
	})
}

// unlessPionLosesIt repeats what hears of pion's Close, which now and then closes the
// transport before its own close_notify has left: one of many must be heard.
func unlessPionLosesIt(t *testing.T, hears func() error) {
	t.Helper()
	for range 20 {
		err := hears()
		if errors.Is(err, io.EOF) {
			return
		}
		wantErr(t, err, os.ErrDeadlineExceeded)
	}
	t.Error("no close_notify of pion's was understood")
}

// goodbye is the error that the next read gives, within a second.
func goodbye(t *testing.T, c net.Conn) error {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(time.Second)))
	_, err := c.Read(make([]byte, 10))
	return err
}

// TestDataBeforeClose: what came before close_notify is read before io.EOF.
func TestDataBeforeClose(t *testing.T) {
	client, server := ours(t, newPipe(), gcm128)
	_, err := client.WriteBurst([][]byte{[]byte("one"), []byte("two")})
	must(t, err)
	must(t, client.Close())
	wantRead(t, server, "one")
	wantRead(t, server, "two")
	waitEOF(t, server)
	waitEOF(t, server)
}

// TestCloseWaitsForNothing: not for a peer that is gone, nor for a transport that blocks.
func TestCloseWaitsForNothing(t *testing.T) {
	p := newPipe()
	client, server := ours(t, p, gcm128)
	must(t, p.b.Close())
	for len(p.a.out) < cap(p.a.out) {
		p.a.inject(nil) // until the transport takes no more
	}
	blocked := make(chan error, 1)
	go func() {
		_, err := client.Write([]byte("x"))
		blocked <- err
	}()
	time.Sleep(10 * time.Millisecond)
	start := time.Now()
	must(t, client.Close())
	if took := time.Since(start); took > 2*closeGrace {
		t.Errorf("Close took %v", took)
	}
	wantErr(t, <-blocked, net.ErrClosed)
	must(t, server.Close())
}

func TestCloseWakesReaders(t *testing.T) {
	client, _ := ours(t, newPipe(), gcm128)
	errs := make(chan error, 3)
	for range 3 {
		go func() {
			_, err := client.Read(make([]byte, 10))
			errs <- err
		}()
	}
	time.Sleep(10 * time.Millisecond)
	must(t, client.Close())
	for range 3 {
		wantErr(t, <-errs, net.ErrClosed)
	}
	if _, err := client.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("write after close: %v", err)
	}
	if _, err := client.ExportKeyingMaterial("x", nil, 1); !errors.Is(err, net.ErrClosed) {
		t.Errorf("export after close: %v", err)
	}
}

func TestDeadlines(t *testing.T) {
	client, server := ours(t, newPipe(), gcm128)
	timedOut := func(deadline time.Time) {
		t.Helper()
		must(t, client.SetDeadline(deadline))
		_, err := client.Read(make([]byte, 10))
		wantErr(t, err, os.ErrDeadlineExceeded)
		var timeout net.Error
		if !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("%v is no timeout", err)
		}
		time.Sleep(5 * time.Millisecond) // the two deadlines have a timer each
		if _, err := client.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write: %v", err)
		}
	}
	timedOut(time.Now().Add(-time.Second))
	timedOut(time.Now().Add(20 * time.Millisecond))
	must(t, client.SetDeadline(time.Time{}))
	exchange(t, client, server)

	moved := make(chan error, 1)
	must(t, client.SetReadDeadline(time.Now().Add(time.Hour)))
	go func() {
		_, err := client.Read(make([]byte, 10))
		moved <- err
	}()
	time.Sleep(10 * time.Millisecond)
	must(t, client.SetReadDeadline(time.Now()))
	wantErr(t, <-moved, os.ErrDeadlineExceeded)
}

// TestDeadlineThatIsMovedOn does not fire at its old time.
func TestDeadlineThatIsMovedOn(t *testing.T) {
	var d deadline
	d.set(time.Now().Add(5 * time.Millisecond))
	wait := d.wait()
	d.set(time.Now().Add(time.Hour))
	time.Sleep(20 * time.Millisecond)
	select {
	case <-wait:
		t.Error("it fired")
	default:
	}
	d.set(time.Now())
	<-wait
	d.set(time.Time{})
	if d.expired() {
		t.Error("no deadline has expired")
	}
}

// TestWriteDeadlineDoesNotStopPion: the user's deadline is not the handshake's.
func TestWriteDeadlineDoesNotStopPion(t *testing.T) {
	p := newPipe()
	client, server, w := tapped(t, gcm128, p)
	must(t, server.SetWriteDeadline(time.Now().Add(-time.Second)))
	p.a.inject(w.client.seal(typeHandshake, 1<<48|40, make([]byte, 8), append([]byte{messageFinished}, make([]byte, 23)...)))
	time.Sleep(150 * time.Millisecond)
	must(t, server.SetWriteDeadline(time.Time{}))
	exchange(t, client, server)
}

func TestHandshakeCancelled(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e := newEngine(t)
	for i, start := range []maker{ourClient(e), ourServer(e)} {
		cc, sc := configs(t, gcm128)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		begin := time.Now()
		_, err := start(ctx, newPipe().a, []*dtls.Config{cc, sc}[i])
		wantErr(t, err, context.Canceled)
		wantErr(t, err, ErrHandshake)
		if took := time.Since(begin); took > time.Second {
			t.Errorf("it took %v", took)
		}
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

// TestTransportClosedBelow: the connection says so, and Close still works.
func TestTransportClosedBelow(t *testing.T) {
	p := newPipe()
	client, _ := ours(t, p, gcm128)
	must(t, p.a.Close())
	_, err := client.Read(make([]byte, 10))
	wantErr(t, err, net.ErrClosed)
	_, err = client.Write([]byte("x"))
	wantErr(t, err, net.ErrClosed)
	must(t, client.Close())
}

// TestNoGoroutineIsLeft makes and closes connections in every order.
func TestNoGoroutineIsLeft(t *testing.T) {
	e := newEngine(t)
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	cc, sc := configs(t, gcm128)
	for i := range 6 {
		c, s, cerr, serr := try(patience(t), newPipe(), ourClient(e), ourServer(e), cc, sc)
		must(t, errors.Join(cerr, serr))
		sides := []peerConn{c, s}
		if i%2 == 1 {
			sides = []peerConn{s, c}
		}
		if i >= 4 {
			waiting := make(chan struct{})
			go func() {
				defer close(waiting)
				_ = sides[0].Close()
			}()
			_ = sides[1].Close()
			<-waiting
			continue
		}
		must(t, sides[0].Close())
		must(t, sides[1].Close())
	}
}

// TestCloseZeroesSecrets: neither the secret nor the keys are left.
func TestCloseZeroesSecrets(t *testing.T) {
	client, server := ours(t, newPipe(), TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256)
	master := client.session.master
	out, in := client.session.out, client.session.in
	must(t, client.Close())
	must(t, server.Close())
	for _, b := range master {
		if b != 0 {
			t.Fatal("the secret is still there")
		}
	}
	if _, err := out.appendRecord(nil, typeAlert, []byte{1, 0}); err == nil {
		t.Error("the key still seals")
	}
	burst := []record.Datagram{{Buf: rec(typeApplicationData, version12, 1, 5, 16, make([]byte, 16)), Len: 29}}
	if in.Unprotect(burst); burst[0].Drop != record.DropClosed {
		t.Errorf("the key still opens: %v", burst[0].Drop)
	}
}

func TestShortBuffers(t *testing.T) {
	client, server := ours(t, newPipe(), gcm128)
	_, err := client.WriteBurst([][]byte{[]byte("longer"), []byte("ok"), []byte("longer still"), []byte("end")})
	must(t, err)
	must(t, server.SetReadDeadline(time.Now().Add(5*time.Second)))
	buffer := make([]byte, 3)
	n, err := server.Read(buffer)
	if n != 3 || !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("read %d, %v", n, err)
	}
	wantRead(t, server, "ok")
	buffers, sizes := [][]byte{make([]byte, 3), make([]byte, 3)}, make([]int, 2)
	if n, err := server.ReadBurst(buffers, sizes); n != 1 || sizes[0] != 3 || !errors.Is(err, io.ErrShortBuffer) {
		t.Errorf("read %d, %v, %v", n, sizes, err)
	}
	wantRead(t, server, "end")
}

// TestBuffersThatTakeNothing: a burst that can hold nothing is refused, and no record is
// lost to it. Read keeps to io.Reader.
func TestBuffersThatTakeNothing(t *testing.T) {
	client, server := ours(t, newPipe(), gcm128)
	_, err := client.Write([]byte("here"))
	must(t, err)
	must(t, server.SetReadDeadline(time.Now().Add(5*time.Second)))
	two := [][]byte{make([]byte, 10), make([]byte, 10)}
	for _, c := range []struct {
		field string
		bufs  [][]byte
		sizes []int
	}{
		{"bufs", nil, nil},
		{"bufs", [][]byte{}, make([]int, 1)},
		{"sizes", two, nil},
		{"sizes", two, make([]int, 1)},
		{"sizes", two, make([]int, 3)},
		{"bufs", [][]byte{nil}, make([]int, 1)},
		{"bufs", [][]byte{two[0], {}}, make([]int, 2)},
	} {
		n, err := server.ReadBurst(c.bufs, c.sizes)
		var refused *FieldError
		if n != 0 || !errors.As(err, &refused) || refused.Field != c.field || !errors.Is(err, ErrConfig) {
			t.Errorf("%d bufs, %d sizes: %d, %v; want one that names %s", len(c.bufs), len(c.sizes), n, err, c.field)
		}
	}
	if n, err := server.Read(nil); n != 0 || err != nil {
		t.Errorf("Read into nothing: %d, %v", n, err)
	}
	wantRead(t, server, "here")
}

// TestCloseAfterEngine frees everything, but cannot tell the peer.
func TestCloseAfterEngine(t *testing.T) {
	mine, theirs := newEngine(t), newEngine(t)
	cc, sc := configs(t, gcm128)
	p := newPipe()
	p.a.keep = true
	c, s := connect(t, p, ourClient(mine), ourServer(theirs), cc, sc)
	mine.Close()
	before := len(p.a.captured())
	_, err := c.Write([]byte("x"))
	wantErr(t, err, ciphers.StatusEngine.Err())
	must(t, c.Close())
	if sent := p.a.captured()[before:]; len(sent) != 0 {
		t.Errorf("%d datagrams left: %x", len(sent), sent)
	}
	must(t, s.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err = s.Read(make([]byte, 10))
	wantErr(t, err, os.ErrDeadlineExceeded)
}

func TestPayloadsThatCannotBe(t *testing.T) {
	client, server := ours(t, newPipe(), gcm128)
	if _, err := client.Write(make([]byte, MaxPlaintext+1)); !errors.Is(err, ErrTooLong) {
		t.Errorf("too long: %v", err)
	}
	n, err := client.WriteBurst([][]byte{[]byte("before"), make([]byte, MaxPlaintext+1), []byte("after")})
	if n != 1 || !errors.Is(err, ErrTooLong) {
		t.Errorf("sent %d, %v", n, err)
	}
	wantRead(t, server, "before")
	for _, payload := range [][]byte{nil, {}, payloadOf(MaxPlaintext)} {
		_, err := client.Write(payload)
		must(t, err)
		buffer := make([]byte, MaxPlaintext)
		if n, err := server.Read(buffer); err != nil || string(buffer[:n]) != string(payload) {
			t.Errorf("read %d of %d bytes, %v", n, len(payload), err)
		}
	}
}

// TestQueueHoldsWhatIsDocumented: at Conn.Read.
func TestQueueHoldsWhatIsDocumented(t *testing.T) {
	for _, c := range []struct{ size, holds int }{{0, 4096}, {512, 4096}, {513, 2 << 20 / 513}, {MaxPlaintext, 128}} {
		q, held := newQueue(), 0
		q.begin()
		for payload := make([]byte, c.size); q.add(payload); {
			held++
		}
		q.wake()
		if held != c.holds {
			t.Errorf("%d payloads of %d bytes, want %d", held, c.size, c.holds)
		}
	}
}

// TestReaderThatIsLate loses what does not fit its queue, and counts it.
func TestReaderThatIsLate(t *testing.T) {
	client, server := ours(t, newPipe(), gcm128)
	payload := make([]byte, MaxPlaintext)
	for range 2 * queueBytes / MaxPlaintext {
		_, err := client.Write(payload)
		must(t, err)
	}
	for range 5000 {
		if s := server.Stats().Received; s.Records == 2*queueBytes/MaxPlaintext {
			if s.Drops[record.DropQueueFull] == 0 {
				t.Errorf("drops %v", s.Drops.ByName())
			}
			break
		}
		time.Sleep(time.Millisecond)
	}
	got := 0
	must(t, server.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	for {
		if _, err := server.Read(payload); err != nil {
			break
		}
		got++
	}
	if got != queueBytes/MaxPlaintext {
		t.Errorf("%d payloads in the queue", got)
	}
	must(t, server.SetReadDeadline(time.Time{}))
	exchange(t, client, server)
}
