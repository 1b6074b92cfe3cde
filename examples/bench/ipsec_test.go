package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/examples/bench/internal/lan"
)

// asTarget makes this test program the target of a measurement.
const asTarget = "BENCH_AS_IPSEC_TARGET"

func TestMain(m *testing.M) {
	if os.Getenv(asTarget) != "" {
		if err := serveTarget(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestIPsecTable measures a few rows with a target in a process of its own.
func TestIPsecTable(t *testing.T) {
	t.Setenv(asTarget, "1")
	picture := filepath.Join(t.TempDir(), "ipsec.svg")
	table := ipsecTable{JSON: true, Quick: true, Alg: "des", Plot: picture, command: []string{os.Args[0]}}
	var out, remarks bytes.Buffer
	if err := table.Run(streams{&out, os.Stderr}); err != nil {
		t.Fatalf("%v\n%s", err, &remarks)
	}
	rows := map[lan.Trial]int{}
	for decoder := json.NewDecoder(&out); decoder.More(); {
		var r ipsecRow
		if err := decoder.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows[r.Test]++
		if r.Rate <= 0 || r.Fraction <= 0 || r.ChipRate == nil || r.ChipFraction == nil {
			t.Errorf("%+v", r)
		}
	}
	for _, trial := range lan.Trials() {
		if rows[trial] != 4 { // three kinds of AH round DES, and no IPsec
			t.Errorf("%s: %d rows", trial, rows[trial])
		}
	}
	if svg, err := os.ReadFile(picture); err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("no picture: %v", err)
	}
}

// TestEveryChipFigureHasARow: no figure of @CHIP-RTOS is without a line of ours.
func TestEveryChipFigureHasARow(t *testing.T) {
	found := 0
	rows := protections()
	for _, trial := range lan.Trials() {
		for i := range rows {
			if _, ok := chipOf(trial, &rows[i]); ok {
				found++
			}
		}
	}
	if found != len(chips) {
		t.Errorf("%d of %d figures have a row", found, len(chips))
	}
	r := newRow(lan.TCPSend, &rows[1], 500, 0.25)
	if r.Rate != 0.5 || r.Fraction != 0.25 || *r.ChipRate != 25.6 || *r.ChipFraction != 25.6/968.5 {
		t.Errorf("%+v", r)
	}
}

func TestIPsecTableAsText(t *testing.T) {
	rows := protections()
	var out strings.Builder
	figures := []ipsecRow{newRow(lan.TCPSend, &rows[0], 2e6, 1), newRow(lan.TCPSend, &rows[1], 1e6, 0.5), newRow(lan.UDPEcho, &rows[0], 3e6, 1)}
	if err := printIPsec(&out, false, figures); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"TCP send test\n", "UDP echo test", "no_ipsec", "SHA1      SHA1        3DES     1000       50.0 %               25.6        2.6 %"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

// TestTargetThatFails: the peer says so in a line, and does not wait for ever.
func TestTargetThatFails(t *testing.T) {
	for _, command := range [][]string{{"/nowhere/bench"}, {"false"}} {
		table := ipsecTable{Quick: true, Alg: "des", command: command}
		var out, remarks bytes.Buffer
		if err := table.Run(streams{&out, &remarks}); err == nil || out.Len() != 0 {
			t.Errorf("%v: %v, printed %q", command, err, out.String())
		}
	}
	if err := serveTarget(strings.NewReader(""), io.Discard); err == nil {
		t.Error("a target without orders serves")
	}
}

func TestUnknownCipherInTable(t *testing.T) {
	if err := (&ipsecTable{Alg: "rot13"}).Run(streams{}); err == nil {
		t.Error("accepted")
	}
}
