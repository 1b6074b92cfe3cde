package dtlsadapter

import (
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestDeadlines: reads and writes fail once theirs has passed, and go on when it is moved.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := ours(t, newPipe(), gcm128)
		timesOut(t, client, time.Now().Add(-time.Second))
		timesOut(t, client, time.Now().Add(20*time.Millisecond))
		must(t, client.SetDeadline(time.Time{}))
		exchange(t, client, server)
	})
}

func timesOut(t *testing.T, c *Conn, at time.Time) {
	t.Helper()
	must(t, c.SetDeadline(at))
	_, err := c.Read(make([]byte, 10))
	wantErr(t, err, os.ErrDeadlineExceeded)
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("%v is no timeout", err)
	}
	synctest.Wait() // the two deadlines have a timer each
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("write: %v", err)
	}
}

// TestDeadlineThatIsMovedUp wakes who waits for the old one.
func TestDeadlineThatIsMovedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, _ := ours(t, newPipe(), gcm128)
		moved := make(chan error, 1)
		must(t, client.SetReadDeadline(time.Now().Add(time.Hour)))
		go func() {
			_, err := client.Read(make([]byte, 10))
			moved <- err
		}()
		synctest.Wait()
		begin := time.Now()
		must(t, client.SetReadDeadline(begin))
		wantErr(t, <-moved, os.ErrDeadlineExceeded)
		if took := time.Since(begin); took != 0 {
			t.Errorf("after %v", took)
		}
	})
}

// TestDeadlineThatIsMovedOn does not fire at its old time.
func TestDeadlineThatIsMovedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
}

// TestWriteDeadlineDoesNotStopPion: the user's deadline is not the handshake's.
func TestWriteDeadlineDoesNotStopPion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipe()
		client, server, w := tapped(t, gcm128, p)
		must(t, server.SetWriteDeadline(time.Now().Add(-time.Second)))
		p.a.inject(w.client.seal(typeHandshake, 1<<48|40, make([]byte, 8), append([]byte{messageFinished}, make([]byte, 23)...)))
		time.Sleep(150 * time.Millisecond)
		must(t, server.SetWriteDeadline(time.Time{}))
		exchange(t, client, server)
	})
}
