package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func pneRows(t *testing.T, text string) (all []pneRow) {
	t.Helper()
	for line := range strings.Lines(text) {
		var r pneRow
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.NS <= 0 || r.Ratio <= 0 || r.Mbps <= 0 || r.Table != "pne" {
			t.Errorf("row %+v", r)
		}
		if (r.Overhead != nil) != (r.Op == "seal+mask" && r.Baseline == "seal") {
			t.Errorf("overhead in row %+v", r)
		}
		all = append(all, r)
	}
	return all
}

// pneWants looks for what the table must have.
func pneWants(t *testing.T, all []pneRow, suites []string, bursts []int) {
	t.Helper()
	for _, alg := range suites {
		for _, size := range pneSizes {
			for _, burst := range bursts {
				for _, op := range []string{"seal", "seal+mask"} {
					if !slices.ContainsFunc(all, func(r pneRow) bool {
						return r.Alg == alg && r.Bytes == size && r.Burst == burst && r.Op == op && (r.Overhead != nil) == (op == "seal+mask")
					}) {
						t.Errorf("no %s of %s, %d bytes, burst %d", op, alg, size, burst)
					}
				}
			}
			if !slices.ContainsFunc(all, func(r pneRow) bool {
				return r.Alg == alg && r.Bytes == size && r.Burst == 1 && r.Backend == "std" && r.Overhead != nil && *r.WinQuic > 0
			}) {
				t.Errorf("nothing of the libraries at %d bytes", size)
			}
		}
	}
}

func TestPNETable(t *testing.T) {
	out, err := bench(t, append([]string{"pne", "-json"}, tiny...)...)
	if err != nil {
		t.Fatal(err)
	}
	all := pneRows(t, out)
	pneWants(t, all, quicSuites, []int{1, 32})
	for _, size := range []int{64, 1200} {
		for op, baselines := range map[string][]string{packetOp: {"std", packetSingle}, protectOp: {"std"}} {
			for _, baseline := range baselines {
				if !slices.ContainsFunc(all, func(r pneRow) bool {
					return r.Op == op && r.Bytes == size && r.Burst == 32 && r.Baseline == baseline
				}) {
					t.Errorf("no %s of %d bytes against %s", op, size, baseline)
				}
			}
		}
	}
}

// WinQuic's method, with fewer packets.
func TestPNEByTheMethodOfWinQuic(t *testing.T) {
	var out, errs bytes.Buffer
	table := pneTable{options: options{JSON: true, Alg: "aes-128-gcm"}}
	suites, err := table.suites()
	if err != nil {
		t.Fatal(err)
	}
	if err := table.full(streams{&out, &errs}, suites, method{128, 2}); err != nil {
		t.Fatal(err)
	}
	pneWants(t, pneRows(t, out.String()), []string{"aes-128-gcm"}, pneBursts)
}

func TestPNEText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pne.svg")
	out, err := bench(t, append([]string{"pne", "-alg", "aes-128-gcm", "-plot", file}, tiny...)...)
	if err != nil || !strings.Contains(out, "WinQuic %") || !strings.Contains(out, "aes-128-gcm, bursts of 32") {
		t.Errorf("%v\n%s", err, out)
	}
	svg, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"std seal, one a call", "std seal+mask, one a call", " seal, bursts of 32", " seal+mask, bursts of 32"} {
		if !bytes.Contains(svg, []byte(line)) {
			t.Errorf("no line %q is drawn", line)
		}
	}
	if _, err := bench(t, "pne", "-alg", "aes-192-gcm"); err == nil {
		t.Error("a suite that QUIC does not have")
	}
}

// WinQuic's percentages are those of its own times.
func TestWinQuicAddsUp(t *testing.T) {
	for _, w := range winquics {
		if got := 100 * (w.protected/w.plain - 1); math.Abs(got-w.overhead) > 1 {
			t.Errorf("%d bytes: %.1f%%, posted %v%%", w.bytes, got, w.overhead)
		}
	}
}

// The libraries and the engine's calls alone put the same packets on the wire.
func TestSingleAndEnginePacketsAreTheSame(t *testing.T) {
	engines, err := entrants(streams{io.Discard, io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	suites, err := (&pneTable{}).suites()
	if err != nil {
		t.Fatal(err)
	}
	for _, suite := range suites {
		single, err := newSinglePackets(suite, 64, 4)
		if err != nil {
			t.Fatal(err)
		}
		bare, err := newEnginePackets(suite, 64, 4, engines[0])
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for i, buf := range single.bufs {
				single.seal(buf, single.number+uint32(i))
			}
			if err := bare.seal(); err != nil {
				t.Fatal(err)
			}
			for i, buf := range single.bufs {
				if !bytes.Equal(buf, bare.out[i].Buf) {
					t.Fatalf("%s, packet %d:\n%x\n%x", suite.Name, i, buf, bare.out[i].Buf)
				}
				if err := single.open(buf, single.number+uint32(i)); err != nil {
					t.Fatal(err)
				}
			}
			if err := bare.open(); err != nil {
				t.Fatal(err)
			}
			single.number += 4
		}
		bare.close()
	}
}
