package table

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

var row = Row{
	Table: "aead", Op: "seal", Alg: "aes-128-gcm", Backend: "vaes512", Bytes: 64, Burst: 32, Keys: 1,
	NS: 10, Gbps: 51.2, Baseline: "std", BaseNS: 100, Ratio: 10, Delta: -90, Spread: 2, Rounds: 15, Core: 1,
}

func TestJSONIsOneObjectALine(t *testing.T) {
	var out bytes.Buffer
	p := JSON(&out)
	for range 2 {
		if err := p.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines", len(lines))
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(lines[1]), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{
		"table": "aead", "op": "seal", "alg": "aes-128-gcm", "backend": "vaes512", "bytes": 64.0, "burst": 32.0,
		"keys": 1.0, "ns": 10.0, "gbps": 51.2, "baseline": "std", "ratio": 10.0,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

func TestTextHasABlockForEachWork(t *testing.T) {
	var out bytes.Buffer
	p := Text(&out)
	other := row
	other.Op, other.Mix = "open", "imix"
	for _, r := range []Row{row, row, other} {
		if err := p.Row(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	want := `seal aes-128-gcm
  bytes  burst  keys  backend    ns  Gbit/s  baseline     ns  ratio  ±%    Δns
     64     32     1  vaes512  10.0    51.2       std  100.0  10.00   2  -90.0
                      vaes512  10.0    51.2       std  100.0  10.00   2  -90.0

open aes-128-gcm
  bytes  burst  keys  backend    ns  Gbit/s  baseline     ns  ratio  ±%    Δns
   imix     32     1  vaes512  10.0    51.2       std  100.0  10.00   2  -90.0
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestGbpsIsOfPayload(t *testing.T) {
	var r Row
	r.SetTime(10, 1250)
	if r.NS != 10 || r.Gbps != 1000 {
		t.Errorf("%v ns, %v Gbit/s", r.NS, r.Gbps)
	}
}
