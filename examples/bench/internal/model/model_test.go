package model

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var tiny = Effort{Rounds: 3, Turn: 200 * time.Microsecond}

func TestGigahertz(t *testing.T) {
	if ghz := Gigahertz(); ghz < 0.3 || ghz > 10 {
		t.Errorf("%.2f GHz", ghz)
	}
}

// TestStepsAddUp wants the steps of every suite, and together about their sum: what
// is measured apart is there.
func TestStepsAddUp(t *testing.T) {
	for _, suite := range Suites() {
		rows, err := Steps(suite, 1450, Effort{Rounds: 9, Turn: tiny.Turn})
		if err != nil {
			t.Fatal(err)
		}
		ns := map[string]float64{}
		sum := 0.0
		for _, r := range rows {
			if ns[r.Name] = r.NS; r.Name != StepTogether {
				sum += r.NS
			}
		}
		if ns[StepSeal] <= 0 || ns[StepOpen] <= 0 || ns[StepPort] <= 0 || ns[StepLookup] <= 0 {
			t.Errorf("%s: %v", suite, ns)
		}
		if together := ns[StepTogether]; sum < together/3 || sum > 3*together {
			t.Errorf("%s: the steps add up to %.0f ns, together %.0f", suite, sum, together)
		}
	}
	if _, err := Steps("des", 64, tiny); err == nil {
		t.Error("measured a suite that there is not")
	}
}

func TestEveryHandshakeComesToItsEnd(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Handshakes(kinds, tiny)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.Name] = r.NS > 0
	}
	for _, want := range []string{
		"PSK", "ECDHE X25519 ECDSA", "ECDHE P-256 ECDSA", "ECDHE P-384 ECDSA", "ECDHE X25519 RSA", "ECDHE P-256 RSA", "ECDHE P-384 RSA",
	} {
		if !seen[want] {
			t.Errorf("no %s among %v", want, seen)
		}
	}
}

func TestLookupsAndMemory(t *testing.T) {
	rows, err := Lookups(1000, tiny)
	if err != nil || len(rows) != 3 || rows[2].Sessions != 1000 || rows[2].NS <= 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	rows, err = Memory(kinds[0], 500, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Value < 500 || r.Value > 1<<20 {
			t.Errorf("%s: %.0f bytes", r.Name, r.Value)
		}
	}
}

// TestStudyPredictsBeforeItRuns follows the order of rows: no load is run that was
// not predicted first, and the picture shows what came out.
func TestStudyPredictsBeforeItRuns(t *testing.T) {
	kinds, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	study := Study{
		Fitted: []Load{{1, 1, 64}, {4, 10, 64}, {1, 5000, 64}, {1, 5000, 1450}, {6, 1000, 64}, {2, 50, 700}},
		Checks: [][]Load{{{2, 10, 100}}, {{3, 1000, 256}}},
		Passes: 1,
	}
	runner, err := NewRunner(kinds[0])
	if err != nil {
		t.Fatal(err)
	}
	predicted := map[Load]bool{}
	o, err := study.Run(runner, func(r Row) error {
		l := Load{r.Connections, r.Packets, r.Bytes}
		switch r.Kind {
		case KindPrediction:
			predicted[l] = r.NS == 0
		case KindMeasurement:
			if !predicted[l] || r.NS <= 0 {
				t.Errorf("%+v was not predicted", r)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Checks) != 2 || len(o.Samples) != 18 || o.SMAPE() <= 0 {
		t.Errorf("%d checks, %d samples, error %f", len(o.Checks), len(o.Samples), o.SMAPE())
	}
	file := filepath.Join(t.TempDir(), "model.svg")
	if err := Draw(file, o); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(svg, []byte("packets a connection")) || !bytes.Contains(svg, []byte("measured, ms")) {
		t.Errorf("the picture: %v", err)
	}
}

func TestDearest(t *testing.T) {
	rows := []Row{
		{Name: StepTogether, Suite: "aes-128-gcm", Bytes: 1450, NS: 400}, {Name: StepSeal, Suite: "aes-128-gcm", Bytes: 1450, NS: 160},
		{Name: StepTogether, Suite: "chacha20-poly1305", Bytes: 1450, NS: 200}, {Name: StepSeal, Suite: "chacha20-poly1305", Bytes: 1450, NS: 40},
		{Name: StepTogether, Suite: "aes-128-gcm", Bytes: 64, NS: 1},
	}
	found := Dearest(rows)
	if len(found) != 2 || found[0].Value != 2 || found[1].Value != 0.75 {
		t.Errorf("%+v", found)
	}
	if Dearest(nil) != nil {
		t.Error("found something in nothing")
	}
}

func TestUnacceleratedSaysWhyItFailed(t *testing.T) {
	if _, err := Unaccelerated(t.Context(), os.Args[0], "-test.nosuchflag"); err == nil || !strings.Contains(err.Error(), "nosuchflag") {
		t.Errorf("%v", err)
	}
}
