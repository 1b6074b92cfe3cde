package tunnel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// connect makes two connections that are joined.
func connect(t *testing.T) (client, server *dtlsadapter.Conn) {
	t.Helper()
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	c, s, err := credentials.Throwaway(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	a, b := memory.Conns(256, 1<<15)
	served := make(chan error, 1)
	go func() {
		var err error
		server, err = dtlsadapter.Server(ctx, b, s, e)
		served <- err
	}()
	client, err = dtlsadapter.Client(ctx, a, c, e)
	if err := errors.Join(err, <-served); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		server.Close()
	})
	return client, server
}

func TestBothLoops(t *testing.T) {
	client, server := connect(t)
	left, near := memory.Pair(64, 200)
	right, far := memory.Pair(64, 200)
	var out, in tunnel.Way
	ended := make(chan error, 2)
	go func() { ended <- tunnel.Seal(near, client, 200, &out) }()
	go func() { ended <- tunnel.Open(server, far, 100, &in) }()

	burst := port.NewBurst(3, 200)
	port.Put(&burst[0], []byte("first"))
	port.Put(&burst[1], make([]byte, 100+port.Tailroom+1)) // longer than the far side takes
	port.Put(&burst[2], []byte("last"))
	if n, err := left.Send(burst); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	for _, want := range []string{"first", "last"} {
		if n, err := right.Receive(burst[:1]); n != 1 || err != nil || string(burst[0].Content()) != want {
			t.Fatalf("%d, %v, %q; want %q", n, err, burst[0].Content(), want)
		}
	}
	client.Close()
	left.Close()
	for range 2 {
		if err := <-ended; err == nil {
			t.Error("a loop ended without an error")
		}
	}
	if flow := out.Flow(); flow.Packets != 3 || flow.Bytes != 9+165 {
		t.Errorf("out: %+v", flow)
	}
	if flow := in.Flow(); flow.Packets != 2 || flow.Bytes != 9 || flow.Drops["too-long"] != 1 {
		t.Errorf("in: %+v", flow)
	}
}

func TestSendPassesOverWhatIsTooLong(t *testing.T) {
	client, server := connect(t)
	var count tunnel.Way
	var drops record.Tally
	long := make([]byte, dtlsadapter.MaxPlaintext+1)
	if err := tunnel.Send(client, [][]byte{[]byte("a"), long, []byte("b"), long}, &drops, &count); err != nil {
		t.Fatal(err)
	}
	if flow := count.Flow(); flow.Packets != 2 || flow.Bytes != 2 || flow.Drops["failed"] != 2 {
		t.Errorf("%+v", flow)
	}
	got := make([]byte, 8)
	for _, want := range []string{"a", "b"} {
		if n, err := server.Read(got); err != nil || string(got[:n]) != want {
			t.Errorf("%q, %v; want %q", got[:n], err, want)
		}
	}
}

func TestSendToAClosedConnection(t *testing.T) {
	client, _ := connect(t)
	client.Close()
	var count tunnel.Way
	var drops record.Tally
	if err := tunnel.Send(client, [][]byte{{1}, {2}}, &drops, &count); err == nil {
		t.Error("no error")
	}
	if flow := count.Flow(); flow.Packets != 0 || flow.Drops["closed"] != 2 {
		t.Errorf("%+v", flow)
	}
}

func ExampleWay() {
	var w tunnel.Way
	w.Add(3, 300, &record.Tally{record.DropReplayed: 2})
	fmt.Println(w.Flow())
	// Output: {3 300 map[replayed:2]}
}
