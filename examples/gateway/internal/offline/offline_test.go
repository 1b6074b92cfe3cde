package offline_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/credentials"
	"github.com/sealburst/sealburst/examples/gateway/internal/offline"
)

func recorded(t testing.TB) []byte {
	t.Helper()
	file, err := os.ReadFile("../../testdata/traffic.pcap")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func newEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// protect tunnels a capture and returns the tunnel's and the key log.
func protect(t testing.TB, file []byte, suites ...dtls.CipherSuiteID) (tunnelled, keyLog []byte, totals offline.Totals, err error) {
	t.Helper()
	client, server, err := credentials.Throwaway(suites)
	if err != nil {
		t.Fatal(err)
	}
	var log, out bytes.Buffer
	client.KeyLogWriter = &log
	in, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	w, err := capture.NewWriter(&out, in.Format())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	totals, err = offline.Protect(ctx, offline.Session{Client: client, Server: server, Engine: newEngine(t)}, in, w)
	if flushed := w.Flush(); flushed != nil {
		t.Fatal(flushed)
	}
	return out.Bytes(), log.Bytes(), totals, err
}

func unprotect(t testing.TB, file, keyLog []byte) (plain []byte, totals offline.Totals, err error) {
	t.Helper()
	secrets, err := offline.ReadKeyLog(bytes.NewReader(keyLog))
	if err != nil {
		t.Fatal(err)
	}
	in, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w, err := capture.NewWriter(&out, in.Format())
	if err != nil {
		t.Fatal(err)
	}
	totals, err = offline.Unprotect(newEngine(t), secrets, in, w)
	if flushed := w.Flush(); flushed != nil {
		t.Fatal(flushed)
	}
	return out.Bytes(), totals, err
}

func frames(t testing.TB, file []byte) (all []capture.Frame) {
	t.Helper()
	r, err := capture.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for {
		f, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
}

// head is the capture's first frames, as a capture.
func head(t testing.TB, file []byte, count int) []byte {
	t.Helper()
	end := 24
	for _, f := range frames(t, file)[:count] {
		end += 16 + len(f.Data)
	}
	return file[:end]
}

func TestThereAndBackIsTheSameFile(t *testing.T) {
	for i, suite := range dtlsadapter.Suites() {
		file := recorded(t)
		if i > 0 {
			file = head(t, file, 500)
		}
		tunnelled, keyLog, totals, err := protect(t, file, suite)
		if err != nil || totals.Packets != totals.Frames || totals.Suite != dtlsadapter.SuiteName(suite) {
			t.Errorf("%s: %+v, %v", dtlsadapter.SuiteName(suite), totals, err)
			continue
		}
		plain, totals, err := unprotect(t, tunnelled, keyLog)
		if err != nil || !bytes.Equal(plain, file) {
			t.Errorf("%s: the packets that came back differ: %+v, %v", dtlsadapter.SuiteName(suite), totals, err)
		}
	}
}

// TestBothWaysAndTimes sees that replies leave from the server's end, and that each
// record has the time of its packet.
func TestBothWaysAndTimes(t *testing.T) {
	file := recorded(t)
	tunnelled, _, _, err := protect(t, file)
	if err != nil {
		t.Fatal(err)
	}
	plain := frames(t, file)
	records := dataRecords(t, tunnelled)
	if len(records) != len(plain) {
		t.Fatalf("%d records for %d packets", len(records), len(plain))
	}
	ends := map[string]string{} // by the plain packet's source
	for i := range plain {
		if !records[i].Time.Equal(plain[i].Time) {
			t.Fatalf("record %d has the time %v, its packet %v", i, records[i].Time, plain[i].Time)
		}
		if !bytes.Equal(records[i].Link()[:12], plain[i].Link()[:12]) {
			t.Fatalf("record %d has other hardware addresses than its packet", i)
		}
		host, end := string(plain[i].Link()[6:12]), string(records[i].Packet()[12:16])
		if before, ok := ends[host]; ok && before != end {
			t.Fatalf("record %d leaves from another end than the ones before of the same host", i)
		}
		ends[host] = end
	}
	if len(ends) != 2 {
		t.Errorf("%d hosts, want the two ends of a cable", len(ends))
	}
}

// dataRecords are the frames with application data: type 23 behind IPv4 and UDP headers.
func dataRecords(t *testing.T, file []byte) (all []capture.Frame) {
	t.Helper()
	for _, f := range frames(t, file) {
		if p := f.Packet(); len(p) > 28 && p[28] == 23 {
			all = append(all, f)
		}
	}
	return all
}

func TestTruncatedCaptureKeepsWhatWasWritten(t *testing.T) {
	file := recorded(t)
	tunnelled, keyLog, totals, err := protect(t, file[:300_000])
	if !errors.Is(err, capture.ErrTruncated) || totals.Packets < 100 {
		t.Fatalf("%+v, %v", totals, err)
	}
	plain, _, err := unprotect(t, tunnelled, keyLog)
	if err != nil || !bytes.HasPrefix(file, plain) || len(frames(t, plain)) != int(totals.Packets) {
		t.Errorf("%d bytes came back, %v", len(plain), err)
	}
	plain, again, err := unprotect(t, tunnelled[:len(tunnelled)/2], keyLog)
	if !errors.Is(err, capture.ErrTruncated) || !bytes.HasPrefix(file, plain) || again.Packets == 0 {
		t.Errorf("half a tunnel: %+v, %v", again, err)
	}
}

// broken is the tunnelled capture with one byte of every third record changed.
func broken(t *testing.T, file []byte) (bad []byte, changed int) {
	t.Helper()
	bad = bytes.Clone(file)
	for i, f := range dataRecords(t, file) {
		if i%3 == 0 {
			at := bytes.Index(bad, f.Data)
			bad[at+len(f.Data)-1] ^= 1
			changed++
		}
	}
	return bad, changed
}

func TestForgedRecordsAreDropped(t *testing.T) {
	tunnelled, keyLog, before, err := protect(t, head(t, recorded(t), 400))
	if err != nil {
		t.Fatal(err)
	}
	bad, changed := broken(t, tunnelled)
	plain, totals, err := unprotect(t, bad, keyLog)
	if err != nil || totals.Drops["unauthentic"] != uint64(changed) || totals.Packets != before.Packets-uint64(changed) {
		t.Errorf("%d records changed: %+v, %v", changed, totals, err)
	}
	if n := len(frames(t, plain)); n != int(totals.Packets) {
		t.Errorf("%d packets written, %d counted", n, totals.Packets)
	}
}

func TestUnprotectSaysWhyNothingCame(t *testing.T) {
	file := head(t, recorded(t), 50)
	tunnelled, _, _, err := protect(t, file)
	if err != nil {
		t.Fatal(err)
	}
	_, other, _, err := protect(t, file)
	if err != nil {
		t.Fatal(err)
	}
	if _, totals, err := unprotect(t, tunnelled, other); !errors.Is(err, offline.ErrNothingOpened) || totals.Drops["unknown-session"] == 0 {
		t.Errorf("another session's key log: %+v, %v", totals, err)
	}
	if _, _, err := unprotect(t, file, other); !errors.Is(err, offline.ErrNoRecords) {
		t.Errorf("a capture without DTLS: %v", err)
	}
}

func TestProtectNeedsPackets(t *testing.T) {
	file := recorded(t)
	if out, _, _, err := protect(t, file[:24]); !errors.Is(err, offline.ErrNoPackets) || len(frames(t, out)) != 0 {
		t.Errorf("an empty capture: %v", err)
	}
}

// odd is a raw capture with a packet of every kind that the tunnel does not take.
func odd(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.Format{Link: capture.Raw, Nanos: true, Snap: capture.MaxSnap})
	if err != nil {
		t.Fatal(err)
	}
	long := make([]byte, dtlsadapter.MaxPlaintext+1)
	long[0] = 0x45
	for _, packet := range [][]byte{{0x45, 0}, {0x15}, long, long[:dtlsadapter.MaxPlaintext], {0x65}} {
		if err := w.Write(time.Unix(1, 1), packet); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOddPackets(t *testing.T) {
	tunnelled, keyLog, totals, err := protect(t, odd(t))
	if err != nil || totals.Packets != 3 || totals.Other != 1 || totals.Drops["too-long"] != 1 {
		t.Fatalf("%+v, %v", totals, err)
	}
	plain, _, err := unprotect(t, tunnelled, keyLog)
	if err != nil {
		t.Fatal(err)
	}
	got := frames(t, plain)
	if len(got) != 3 || len(got[0].Data) != 2 || len(got[1].Data) != dtlsadapter.MaxPlaintext || got[2].Data[0] != 0x65 {
		t.Errorf("%d packets came back", len(got))
	}
}

func TestPrintTellsDrops(t *testing.T) {
	_, _, totals, err := protect(t, odd(t))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	totals.Print(&text, "protected")
	for _, want := range []string{"5 frames read, 3 packets", "protected under TLS_", "1 frames left out", "1 packets dropped: too-long"} {
		if !bytes.Contains(text.Bytes(), []byte(want)) {
			t.Errorf("%q lacks %q", text.String(), want)
		}
	}
}

// FuzzUnprotect reads captures that anybody may have written.
func FuzzUnprotect(f *testing.F) {
	tunnelled, keyLog, _, err := protect(f, head(f, recorded(f), 5))
	if err != nil {
		f.Fatal(err)
	}
	secrets, err := offline.ReadKeyLog(bytes.NewReader(keyLog))
	if err != nil {
		f.Fatal(err)
	}
	e := newEngine(f)
	f.Add(tunnelled)
	f.Fuzz(func(t *testing.T, file []byte) {
		in, err := capture.NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		w, err := capture.NewWriter(io.Discard, in.Format())
		if err != nil {
			t.Fatal(err)
		}
		if totals, err := offline.Unprotect(e, secrets, in, w); err == nil && totals.Packets == 0 {
			t.Fatal("nothing came out, and no error says why")
		}
	})
}
