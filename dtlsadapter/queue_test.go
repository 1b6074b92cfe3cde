package dtlsadapter

import (
	"errors"
	"io"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sealburst/sealburst/record"
)

func TestShortBuffers(t *testing.T) {
	client, server := ours(t, newPipe(), gcm128)
	_, err := client.WriteBurst([][]byte{[]byte("longer"), []byte("ok"), []byte("longer still"), []byte("end")})
	must(t, err)
	must(t, server.SetReadDeadline(time.Now().Add(long)))
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
	must(t, server.SetReadDeadline(time.Now().Add(long)))
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
	synctest.Test(t, func(t *testing.T) {
		const fit = queueBytes / MaxPlaintext
		client, server := ours(t, newPipe(), gcm128)
		payload := make([]byte, MaxPlaintext)
		for range 2 * fit {
			_, err := client.Write(payload)
			must(t, err)
		}
		if !comes(func() bool { return server.Stats().Received.Drops[record.DropQueueFull] == fit }) {
			t.Errorf("drops %v", server.Stats().Received.Drops.ByName())
		}
		must(t, server.SetReadDeadline(time.Now().Add(long)))
		for range fit {
			_, err := server.Read(payload)
			must(t, err)
		}
		must(t, server.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
		_, err := server.Read(payload)
		wantErr(t, err, os.ErrDeadlineExceeded)
		must(t, server.SetReadDeadline(time.Time{}))
		exchange(t, client, server)
	})
}
