package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/memory"
	"github.com/sealburst/sealburst/record"
)

func newEngine(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.New(engine.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func recorded(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile("../../testdata/traffic.pcap")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// steps notes what Progress is told.
type steps struct {
	what []string
	last float64
}

func (s *steps) Step(stage, _ string, part float64) {
	s.what = append(s.what, stage)
	s.last = part
}

func TestDemonstration(t *testing.T) {
	told := &steps{}
	r, err := Run(context.Background(), Config{Engine: newEngine(t), Capture: recorded(t), Rounds: 1, Progress: told})
	if err != nil || !r.Good() {
		t.Fatalf("%+v, %v", r, err)
	}
	all, err := fromCapture(recorded(t))
	if err != nil {
		t.Fatal(err)
	}
	want := uint64(len(all.packets) + len(sweepSizes)*sweepPackets)
	if r.Verdict.Sent != want || r.Verdict.Same != want || len(r.Rows) != 1+len(sweepSizes) {
		t.Errorf("%d rows, %+v; want %d packets", len(r.Rows), r.Verdict, want)
	}
	if r.Rows[0].Bytes != all.bytes() || r.Sealed < 8 || r.Opened <= 1 {
		t.Errorf("%d bytes of %d, mean bursts %.1f and %.1f", r.Rows[0].Bytes, all.bytes(), r.Sealed, r.Opened)
	}
	if told.last != 1 || told.what[0] != "start" {
		t.Errorf("progress ended at %v: %q", told.last, told.what)
	}
}

func TestReportForPeopleAndMachines(t *testing.T) {
	r, err := Run(context.Background(), Config{Engine: newEngine(t), Capture: recorded(t), Rounds: 1, Progress: &steps{}})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	r.Print(&text)
	for _, want := range []string{"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "aes-128-gcm on ", "capture", "1400 bytes", "0 different, 0 missing", "dropped: none", "median of the ratios", "comparison of every packet"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &text)
		}
	}
	encoded, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	var decoded struct {
		Rows []struct {
			Traffic string  `json:"traffic"`
			Packets float64 `json:"packets"`
			Seconds float64 `json:"seconds"`
			Mpps    float64 `json:"mpps"`
			Gbps    float64 `json:"gbps"`
			Ratio   float64 `json:"seal_ratio"`
		} `json:"rows"`
		Verdict Verdict `json:"verdict"`
	}
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		t.Fatal(err)
	}
	if len(decoded.Rows) != 7 || decoded.Rows[0].Gbps <= 0 || decoded.Rows[0].Ratio <= 0 || !decoded.Verdict.Good() {
		t.Errorf("%s", encoded)
	}
	for _, row := range decoded.Rows {
		if want := row.Packets / row.Seconds / 1e6; math.Abs(row.Mpps-want) > want/1e6 {
			t.Errorf("%s: %v Mpkt/s, want %v", row.Traffic, row.Mpps, want)
		}
	}
}

// relay passes packets from one port to another and lets the test change them.
func relay(from, to *memory.Port, change func(number int, d *record.Datagram)) {
	burst := port.NewBurst(port.MaxBurst, 1500)
	for number := 0; ; {
		n, err := from.Receive(burst)
		if err != nil {
			return
		}
		for i := range n {
			change(number, &burst[i])
			number++
		}
		if _, err := to.Send(burst[:n]); err != nil {
			return
		}
	}
}

// through sends 100 packets through a relay.
func through(change func(number int, d *record.Datagram)) (Verdict, error) {
	near, entry := memory.Pair(64, 1500)
	exit, far := memory.Pair(64, 1500)
	defer near.Close()
	go relay(entry, exit, change)
	t := traffic{}
	for i := range 100 {
		t.packets = append(t.packets, numbered(100, i))
	}
	c := newCrossing(near, far, 1500)
	_, err := c.repeat(context.Background(), t.packets, 0, func(float64) {})
	return c.verdict, err
}

func TestCrossingSeesWhatIsWrong(t *testing.T) {
	v, err := through(func(int, *record.Datagram) {})
	if err != nil || !v.Good() || v.Sent != 100 {
		t.Errorf("a good relay: %+v, %v", v, err)
	}
	v, err = through(func(number int, d *record.Datagram) {
		if number%10 == 3 {
			d.Content()[50] ^= 1
		}
	})
	if err != nil || v.Good() || v.Differ != 10 || v.Same != 90 {
		t.Errorf("10 changed packets: %+v, %v", v, err)
	}
	v, err = through(func(number int, d *record.Datagram) {
		if number >= 95 {
			d.Drop = record.DropFailed
		}
	})
	if err == nil || v.Good() || v.Missing != 5 {
		t.Errorf("5 lost packets: %+v, %v", v, err)
	}
}

func TestReportIsNotGoodByItself(t *testing.T) {
	for name, r := range map[string]Report{
		"nothing sent": {},
		"one missing":  {Verdict: Verdict{Sent: 2, Same: 1, Missing: 1}},
		"one changed":  {Verdict: Verdict{Sent: 2, Same: 1, Differ: 1}},
	} {
		if r.Good() {
			t.Errorf("%s: good", name)
		}
	}
}

// TestBothContendersMakeTheSameRecords compares the framing and the cipher of the
// one-by-one side with the engine's: they differ in nothing but how they do it.
func TestBothContendersMakeTheSameRecords(t *testing.T) {
	for _, suite := range []dtls.CipherSuiteID{
		dtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, dtls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
		dtlsadapter.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
	} {
		ours, keys, err := newBatched(newEngine(t), suite)
		if err != nil {
			t.Fatal(err)
		}
		std := newOneByOne(keys)
		a, b := port.NewBurst(port.MaxBurst, 2000), port.NewBurst(port.MaxBurst, 2000)
		for i := range a {
			port.Put(&a[i], numbered(20+20*i, i))
			port.Put(&b[i], numbered(20+20*i, i))
		}
		if n, m := ours.Protect(a), std.Protect(b); n != len(a) || m != len(b) {
			t.Fatalf("%d and %d records", n, m)
		}
		for i := range a {
			if !bytes.Equal(a[i].Content(), b[i].Content()) {
				t.Fatalf("%s: record %d differs", dtlsadapter.SuiteName(suite), i)
			}
		}
		if n, m := ours.Unprotect(b), std.Unprotect(a); n != len(b) || m != len(a) {
			t.Errorf("%d and %d of the other's records opened", n, m)
		}
		ours.close()
	}
}

func TestStdIsLeftOutWhereTheLibraryLacksTheCipher(t *testing.T) {
	small := traffic{packets: [][]byte{numbered(64, 1)}}
	e := newEngine(t)
	c, err := compare(func() (*contenders, error) { return dtlsContenders(e, dtls.TLS_ECDHE_ECDSA_WITH_AES_128_CCM) }, &small, 3)
	if err != nil || c.Std != nil || c.Engine.Seal <= 0 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestDashIsExplainedWhereThereIsOne(t *testing.T) {
	for _, std := range []*Cost{nil, {}} {
		var text bytes.Buffer
		r := Report{Rows: []Row{{Comparison: Comparison{Std: std}}}}
		r.Print(&text)
		if strings.Contains(text.String(), "no cipher.AEAD for this suite") != (std == nil) {
			t.Errorf("with %v for std:\n%s", std, &text)
		}
	}
}

func TestPairedRatioIsTheMedian(t *testing.T) {
	times := [2][]float64{{10, 20, 10}, {20, 20, 100}}
	if got := pairedRatio(times); got != 2 {
		t.Errorf("%v, want 2", got)
	}
}

func TestCapturesThatCannotBeShown(t *testing.T) {
	file := recorded(t)
	for name, bad := range map[string][]byte{"nothing": nil, "empty": file[:24], "truncated": file[:5000]} {
		if _, err := fromCapture(bad); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestInterruptEndsTheDemonstration(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := Run(ctx, Config{Engine: newEngine(t), Capture: recorded(t), Crossing: time.Hour, Rounds: 1, Progress: &steps{}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}
