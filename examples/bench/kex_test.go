package main

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// kexRows runs bench kex for one group, shortly.
func kexRows(t *testing.T, group string) []table.Row {
	t.Helper()
	var out bytes.Buffer
	if err := run([]string{"kex", "-quick", "-json", "-alg", group, "-time", "200ms", "-rounds", "3"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var rows []table.Row
	for d := json.NewDecoder(&out); d.More(); {
		var r table.Row
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// TestKexNamesWhatItMeasured looks for every operation of a group of each kind
// at the batches of one and of 64 against the library.
func TestKexNamesWhatItMeasured(t *testing.T) {
	for group, ops := range map[string][]string{
		"x25519":         {"generate", "derive"},
		"ffdhe2048":      {"generate", "derive"},
		"x25519mlkem768": {"generate", "encapsulate", "decapsulate"},
	} {
		type cell struct {
			op    string
			burst int
		}
		seen := map[cell]bool{}
		for _, r := range kexRows(t, group) {
			if r.Alg != group || r.Table != "kex" || r.NS <= 0 || r.BaseNS <= 0 {
				t.Errorf("%+v", r)
			}
			if r.Baseline == "std" && r.Backend == "std" {
				seen[cell{r.Op, r.Burst}] = true
			}
		}
		for _, op := range ops {
			if !seen[cell{op, 1}] || !seen[cell{op, 64}] {
				t.Errorf("%s: %s is missing", group, op)
			}
		}
	}
}

func TestKexRefusesAGroupThatItDoesNotShow(t *testing.T) {
	if err := run([]string{"kex", "-alg", "aes-128-gcm"}, io.Discard, io.Discard); err == nil {
		t.Error("took a cipher for a group")
	}
}

// TestKexRowsSpeakOfExchanges wants columns of exchanges, and no field of packets.
func TestKexRowsSpeakOfExchanges(t *testing.T) {
	row := table.Row{Table: "kex", Op: "derive", Alg: "x25519", Backend: "ifma", Burst: 64, NS: 4000, Baseline: "std", BaseNS: 32000, Ratio: 8, Spread: 3}
	var text, lines bytes.Buffer
	for _, p := range []table.Printer{newKexPrinter(&text, false), newKexPrinter(&lines, true)} {
		for range 2 {
			if err := p.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := "derive x25519\n" +
		"  batch  backend    µs   ops/s  baseline     µs  ratio  ±%\n" +
		"     64     ifma  4.00  250000       std  32.00   8.00   3\n" +
		"            ifma  4.00  250000       std  32.00   8.00   3\n"
	if got := text.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	var fields map[string]any
	if err := json.NewDecoder(&lines).Decode(&fields); err != nil {
		t.Fatal(err)
	}
	for _, packets := range []string{"bytes", "keys", "gbps", "mix", "draw"} {
		if v, ok := fields[packets]; ok {
			t.Errorf("%s is %v", packets, v)
		}
	}
	if fields["ops_per_s"] != 250000.0 || fields["burst"] != 64.0 || fields["ns"] != 4000.0 {
		t.Errorf("%v", fields)
	}
}
