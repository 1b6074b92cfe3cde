package memory_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/record"
)

var _ port.Port = (*memory.Port)(nil)

// fill makes a burst of n numbered packets, counted from first.
func fill(first, n int) []record.Datagram {
	burst := port.NewBurst(n, 64)
	for i := range burst {
		port.Put(&burst[i], fmt.Appendf(nil, "packet %d", first+i))
	}
	return burst
}

func TestEverythingArrivesInOrder(t *testing.T) {
	a, b := memory.Pair(7, 64) // shorter than a burst: the sender waits
	const total = 1000
	go func() {
		for i := 0; i < total; i += 10 {
			if n, err := a.Send(fill(i, 10)); n != 10 || err != nil {
				t.Errorf("sent %d, %v", n, err)
			}
		}
		a.Close()
	}()
	burst := port.NewBurst(5, 64)
	for got := 0; ; {
		n, err := b.Receive(burst)
		if err != nil {
			if err != io.EOF || got != total {
				t.Fatalf("%d packets, %v", got, err)
			}
			return
		}
		for i := range n {
			if want := fmt.Appendf(nil, "packet %d", got); !bytes.Equal(burst[i].Content(), want) {
				t.Fatalf("got %q, want %q", burst[i].Content(), want)
			}
			got++
		}
	}
}

func TestDroppedAndTooLongAreLeftOut(t *testing.T) {
	a, b := memory.Pair(8, 16)
	burst := port.NewBurst(3, 64)
	port.Put(&burst[0], []byte("good"))
	port.Put(&burst[1], make([]byte, 17))
	port.Put(&burst[2], []byte("bad"))
	burst[2].Drop = record.DropReplayed
	n, err := a.Send(burst)
	if n != 1 || err != nil || burst[1].Drop != record.DropTooLong || burst[2].Drop != record.DropReplayed {
		t.Fatalf("sent %d, %v; drops %v, %v", n, err, burst[1].Drop, burst[2].Drop)
	}
	if n, err := b.Receive(burst); n != 1 || err != nil || string(burst[0].Content()) != "good" {
		t.Fatalf("received %d, %v, %q", n, err, burst[0].Content())
	}
}

// within fails the test unless f returns soon.
func within(t *testing.T, what string, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatal(what + " hangs")
		return nil
	}
}

func TestCloseWakes(t *testing.T) {
	a, b := memory.Pair(1, 64)
	receive := func() error {
		_, err := a.Receive(port.NewBurst(1, 64))
		return err
	}
	time.AfterFunc(20*time.Millisecond, func() { a.Close() })
	if err := within(t, "Receive", receive); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Receive: %v", err)
	}
	send := func() error {
		_, err := b.Send(fill(0, 3))
		return err
	}
	if err := within(t, "Send", send); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Send to a closed end: %v", err)
	}
}

func TestSenderThatWaitsIsWokenByClose(t *testing.T) {
	a, b := memory.Pair(1, 64)
	time.AfterFunc(20*time.Millisecond, func() { b.Close() })
	err := within(t, "Send", func() error {
		_, err := a.Send(fill(0, 5))
		return err
	})
	if !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

func TestConnLendsUntilTheNextRead(t *testing.T) {
	a, b := memory.Conns(4, 64)
	if n, err := a.WriteBatch([][]byte{[]byte("one"), []byte("two"), []byte("three")}); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	burst := make([]record.Datagram, 2)
	if n, err := b.ReadBatch(burst); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := a.WriteBatch([][]byte{[]byte("four")}); err != nil { // the last free slot
		t.Fatal(err)
	}
	go a.WriteBatch([][]byte{[]byte("five")}) // waits for one that is lent
	time.Sleep(20 * time.Millisecond)
	if string(burst[0].Content()) != "one" || string(burst[1].Content()) != "two" {
		t.Errorf("lent memory changed: %q, %q", burst[0].Content(), burst[1].Content())
	}
	read := make([]byte, 64)
	for _, want := range []string{"three", "four", "five"} {
		if n, err := b.Read(read); err != nil || string(read[:n]) != want {
			t.Errorf("%q, %v; want %q", read[:n], err, want)
		}
	}
}

func TestConnDeadlines(t *testing.T) {
	a, b := memory.Conns(4, 64)
	read := func() error {
		_, err := b.Read(make([]byte, 64))
		return err
	}
	for name, at := range map[string]time.Time{"past": time.Unix(1, 0), "soon": time.Now().Add(20 * time.Millisecond)} {
		if err := b.SetDeadline(at); err != nil {
			t.Fatal(err)
		}
		if err := within(t, "Read", read); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("deadline %s: %v", name, err)
		}
	}
	if err := b.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write([]byte("late")); err != nil {
		t.Fatal(err)
	}
	if err := within(t, "Read", read); err != nil {
		t.Errorf("after the deadline was lifted: %v", err)
	}
}

func TestCloseReadLetsTheOtherEndRead(t *testing.T) {
	a, b := memory.Conns(4, 64)
	if err := a.CloseRead(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write([]byte("last")); err != nil {
		t.Errorf("write after CloseRead: %v", err)
	}
	read := make([]byte, 8)
	if n, err := b.Read(read); err != nil || string(read[:n]) != "last" {
		t.Errorf("%q, %v", read[:n], err)
	}
	if _, err := b.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("write to who does not read: %v", err)
	}
}
