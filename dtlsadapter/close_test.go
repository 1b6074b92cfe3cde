package dtlsadapter

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/record"
	"go.uber.org/goleak"
)

func TestCloseSendsCloseNotify(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
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

// TestCloseWaitsForNothing: not for a peer that is gone, and not for long for a transport
// that blocks.
func TestCloseWaitsForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
		synctest.Wait()
		start := time.Now()
		must(t, client.Close())
		if took := time.Since(start); took > closeGrace+pionGrace {
			t.Errorf("Close took %v", took)
		}
		wantErr(t, <-blocked, net.ErrClosed)
		must(t, server.Close())
	})
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

// TestCloseAfterEngine frees everything, but cannot tell the peer.
func TestCloseAfterEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
}
