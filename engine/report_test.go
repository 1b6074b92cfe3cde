package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cpu"
)

// reported is an engine with everything that a report shows.
func reported(t *testing.T) *Engine {
	const have = cpu.SSSE3 | cpu.AESNI
	fast, absent, plain := fake(t, "fast", 5, ciphers.AES128GCM), fake(t, "absent", 9, ciphers.AES128GCM, ciphers.AES128CCM), fake(t, "plain", 1,
		ciphers.AES128GCM, ciphers.AES128CCM, ciphers.MaskAES128)
	wide := fake(t, "wide", 8, ciphers.AES128GCM)
	wide.Requires = cpu.AESNI | cpu.AVX512F
	absent.Probe = func() error { return errors.New("no such library") }
	plain.Priorities = map[Algorithm]int{ciphers.AES128CCM: -2}
	fast.Lone = map[Algorithm]int{ciphers.AES128GCM: 2}
	e := mustNewOn(t, have, Config{
		Backends:  map[Algorithm]string{ciphers.MaskAES128: "plain"},
		Available: []*ciphers.Backend{fast, absent, plain, wide}, IgnoreEnvironment: true,
	})
	k := mustKey(t, e, specOf(ciphers.AES128GCM, ciphers.Sealing))
	e.Seal(sealable(k, 32))
	ps := sealable(k, 1)
	ps[0].Len = 65
	e.Seal(ps)
	return e
}

// golden reads a file of testdata, in which KEY stands for the bytes of a key,
// since a pointer has not the same size everywhere.
func golden(t *testing.T, e *Engine, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	size := strconv.Itoa(e.plans[ciphers.AES128GCM].KeySize())
	padded := strings.ReplaceAll(string(text), "KEY      ", fmt.Sprintf("%-9s", size))
	return strings.ReplaceAll(padded, "KEY", size)
}

func TestReportAsText(t *testing.T) {
	e := reported(t)
	if got, want := e.Report().String(), golden(t, e, "report.txt"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReportAsJSON(t *testing.T) {
	e := reported(t)
	got, err := json.MarshalIndent(e.Report(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(golden(t, e, "report.json")); string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestReportOfThisBuild wants every algorithm served, by whatever is best here.
func TestReportOfThisBuild(t *testing.T) {
	r := mustNew(t, Config{IgnoreEnvironment: true}).Report()
	if len(r.Algorithms) < len(packetAlgorithms()) {
		t.Errorf("%d algorithms are served, want %d", len(r.Algorithms), len(packetAlgorithms()))
	}
	for _, a := range r.Algorithms {
		if a.Backend == "" || a.Why != "best available" {
			t.Errorf("%+v", a)
		}
	}
}
