package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/bench/internal/model"
)

// modelChild makes a test process print a table, for the part that runs a process
// of its own.
const modelChild = "SEALBURST_TEST_MODEL_CHILD"

// TestModelChild is that process: behind the test's own flags stands the table's
// command line.
func TestModelChild(t *testing.T) {
	if os.Getenv(modelChild) == "" {
		t.Skip("runs only as a child of TestModelWithoutAcceleration")
	}
	for i, a := range os.Args {
		if a == "model" {
			if err := run(os.Args[i:], os.Stdout, os.Stderr); err != nil {
				t.Fatal(err)
			}
			os.Exit(0) // before the test's own verdict on standard output
		}
	}
}

func modelRows(t *testing.T, args ...string) (all []model.Row) {
	t.Helper()
	out, err := bench(t, append([]string{"model", "-quick", "-json"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	all = decodeRows(t, out)
	if all[0].Kind != model.KindClock || all[0].Value <= 0 {
		t.Errorf("begins with %+v", all[0])
	}
	return all
}

func decodeRows(t *testing.T, out string) (all []model.Row) {
	t.Helper()
	for line := range strings.Lines(out) {
		var r model.Row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Table != "model" || r.Kind == "" || r.Name == "" {
			t.Errorf("%+v", r)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		t.Fatal("no rows")
	}
	return all
}

func TestModelSteps(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range modelRows(t, "-only", "steps")[1:] {
		seen[r.Suite+r.Name] = true
		if r.NS > 0 && r.Cycles <= 0 {
			t.Errorf("no cycles: %+v", r)
		}
	}
	for _, suite := range model.Suites() {
		for _, step := range []string{model.StepPort, model.StepLookup, model.StepNumber, model.StepSeal, model.StepAccept, model.StepOpen, model.StepTogether} {
			if !seen[suite+step] {
				t.Errorf("%s has no %s", suite, step)
			}
		}
	}
}

// TestModelWithoutAcceleration wants ChaCha20-Poly1305 to be cheaper than AES in the
// child, which it is many times over without AES instructions and never with them.
func TestModelWithoutAcceleration(t *testing.T) {
	t.Setenv(modelChild, "1")
	table := modelTable{JSON: true, Quick: true, command: []string{os.Args[0], "-test.run=^TestModelChild$", "--"}}
	var out strings.Builder
	if err := table.unaccelerated(newModelPrinter(&out, true)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"kind":"unaccelerated"`, `"suite":"aes-256-gcm"`, "dearest over cheapest"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s", want)
		}
	}
	for _, r := range decodeRows(t, out.String()) {
		if strings.HasPrefix(r.Name, "saved by chacha20-poly1305") {
			if r.Value <= 0 {
				t.Errorf("%+v", r)
			}
			return
		}
	}
	t.Error("not compared with ChaCha20-Poly1305")
}

// TestModelFit wants every row of the study, and the paper's figures beside ours.
func TestModelFit(t *testing.T) {
	kinds := map[string]int{}
	papers := 0
	for _, r := range modelRows(t, "-only", "fit") {
		kinds[r.Kind]++
		if r.Paper > 0 {
			papers++
		}
	}
	if kinds[model.KindSample] == 0 || kinds[model.KindPrediction] != 4 || kinds[model.KindMeasurement] != 4 || papers != 4 {
		t.Errorf("%v, %d figures of the paper", kinds, papers)
	}
}

func TestModelText(t *testing.T) {
	out, err := bench(t, "model", "-quick", "-only", "handshakes")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"clock", "a handshake, both sides together", "PSK", "ECDHE X25519 RSA"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestModelRefusesAPictureOfWhatItLeavesOut(t *testing.T) {
	if _, err := bench(t, "model", "-only", "steps", "-plot", t.TempDir()+"/m.svg"); err == nil {
		t.Error("took it")
	}
}
