package pcap_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/pcap"
	"github.com/sealburst/sealburst/record"
)

var (
	_ port.Port = (*pcap.Source)(nil)
	_ port.Port = (*pcap.Sink)(nil)
	_ port.Port = (*pcap.Port)(nil)
)

func load(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile("../../../testdata/traffic.pcap")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func source(t *testing.T, file []byte) *pcap.Source {
	t.Helper()
	r, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return pcap.NewSource(r)
}

// packets drains a port.
func packets(p port.Port, size int) (all [][]byte, err error) {
	burst := port.NewBurst(port.MaxBurst, size)
	for {
		n, err := p.Receive(burst)
		if err != nil {
			return all, err
		}
		for i := range n {
			all = append(all, bytes.Clone(burst[i].Content()))
		}
	}
}

func TestWhatIsSentToASinkComesFromASource(t *testing.T) {
	want, err := packets(source(t, load(t)), 2000)
	if err != io.EOF || len(want) == 0 {
		t.Fatal(len(want), err)
	}
	var file bytes.Buffer
	w, err := capture.NewWriter(&file, capture.Format{Link: capture.Raw, Nanos: true, Snap: capture.MaxSnap})
	if err != nil {
		t.Fatal(err)
	}
	sink := pcap.NewSink(w, time.Now)
	burst := port.NewBurst(port.MaxBurst, 2000)
	for rest := want; len(rest) > 0; {
		n := min(len(rest), len(burst))
		for i := range n {
			port.Put(&burst[i], rest[i])
		}
		if sent, err := sink.Send(burst[:n]); sent != n || err != nil {
			t.Fatal(sent, err)
		}
		rest = rest[n:]
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := packets(source(t, file.Bytes()), 2000)
	if err != io.EOF || len(got) != len(want) {
		t.Fatalf("%d of %d packets, %v", len(got), len(want), err)
	}
	for i := range want {
		if !bytes.Equal(got[i], want[i]) {
			t.Fatalf("packet %d differs", i)
		}
	}
}

func TestDamageComesAfterThePacketsBeforeIt(t *testing.T) {
	file := load(t)
	got, err := packets(source(t, file[:100_000]), 2000)
	if !errors.Is(err, capture.ErrTruncated) || len(got) < 100 {
		t.Errorf("%d packets, %v", len(got), err)
	}
}

func TestSourceCountsWhatItSkips(t *testing.T) {
	var file bytes.Buffer
	w, err := capture.NewWriter(&file, capture.Format{Link: capture.Raw, Snap: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, packet := range [][]byte{{0x45, 1}, {0x15, 1}, {0x65, 1}} {
		if err := w.Write(time.Unix(0, 0), packet); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	s := source(t, file.Bytes())
	if got, err := packets(s, 100); len(got) != 2 || err != io.EOF || s.Skipped() != 1 {
		t.Errorf("%d packets, %d skipped, %v", len(got), s.Skipped(), err)
	}
}

func TestLongPacketIsDropped(t *testing.T) {
	burst := port.NewBurst(1, 0)
	burst[0].Buf = burst[0].Buf[:port.Headroom+10]
	if n, err := source(t, load(t)).Receive(burst); n != 1 || err != nil || burst[0].Drop != record.DropTooLong {
		t.Errorf("%d, %v, %v", n, err, burst[0].Drop)
	}
}

func TestOneWayOnly(t *testing.T) {
	s := source(t, load(t))
	if _, err := s.Send(nil); !errors.Is(err, pcap.ErrDirection) {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Receive(port.NewBurst(1, 10)); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	w, err := capture.NewWriter(io.Discard, capture.Format{Link: capture.Raw})
	if err != nil {
		t.Fatal(err)
	}
	sink := pcap.NewSink(w, time.Now)
	time.AfterFunc(10*time.Millisecond, func() { sink.Close() })
	if _, err := sink.Receive(nil); err != io.EOF {
		t.Error(err)
	}
	if _, err := sink.Send(port.NewBurst(1, 10)); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}
