package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// bench runs a command line and returns what it printed.
func bench(t *testing.T, args ...string) (out string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err = run(args, &stdout, &stderr)
	return stdout.String(), err
}

// tiny is as little as a table can be measured.
var tiny = []string{"-quick", "-time", "1ms", "-rounds", "1"}

func rows(t *testing.T, args ...string) (all []table.Row) {
	t.Helper()
	out, err := bench(t, append(args, "-json")...)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out) {
		var r table.Row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.NS <= 0 || r.Ratio <= 0 || r.BaseNS <= 0 || r.Baseline == "" || r.Backend == "" {
			t.Errorf("row %+v", r)
		}
		all = append(all, r)
	}
	return all
}

// has wants a row that the filter accepts.
func has(t *testing.T, all []table.Row, what string, accept func(r table.Row) bool) {
	t.Helper()
	if !slices.ContainsFunc(all, accept) {
		t.Errorf("no row of %s among %d", what, len(all))
	}
}

func TestAEADTable(t *testing.T) {
	all := rows(t, append([]string{"aead"}, tiny...)...)
	for _, alg := range []string{"aes-128-gcm", "aes-192-gcm", "aes-256-gcm", "aes-128-ccm", "aes-128-ccm-8", "chacha20-poly1305"} {
		for _, op := range []string{"seal", "open"} {
			for _, size := range []int{64, 256, 1450, 8192} {
				for _, burst := range []int{1, 32} {
					has(t, all, alg, func(r table.Row) bool {
						return r.Table == "aead" && r.Alg == alg && r.Op == op && r.Bytes == size && r.Burst == burst &&
							r.Keys == 1 && r.Backend == "std" && r.Baseline == "std"
					})
				}
			}
			has(t, all, "32 keys", func(r table.Row) bool { return r.Alg == alg && r.Op == op && r.Keys == 32 })
			has(t, all, "the mix", func(r table.Row) bool { return r.Alg == alg && r.Op == op && r.Mix == "imix" && r.Bytes == 346 })
			has(t, all, "the sorted mix", func(r table.Row) bool { return r.Alg == alg && r.Op == op && r.Baseline == "sorted" })
		}
	}
}

func TestMaskTable(t *testing.T) {
	all := rows(t, append([]string{"mask"}, tiny...)...)
	for _, alg := range []string{"mask-aes-128", "mask-aes-256", "mask-chacha20"} {
		for _, burst := range []int{1, 32, 256} {
			has(t, all, alg, func(r table.Row) bool { return r.Op == "mask" && r.Alg == alg && r.Burst == burst })
		}
	}
	for _, baseline := range []string{"std", "seal"} {
		has(t, all, "seal+mask over "+baseline, func(r table.Row) bool {
			return r.Op == "seal+mask" && r.Alg == "aes-128-gcm" && r.Bytes == 256 && r.Baseline == baseline
		})
	}
}

func TestKeysTable(t *testing.T) {
	all := rows(t, append([]string{"keys", "-most", "10000"}, tiny...)...)
	for _, keys := range []int{32, 100, 10_000} {
		for _, draw := range []string{uniform, skewed} {
			for _, baseline := range []string{"std", "one-key"} {
				has(t, all, draw, func(r table.Row) bool {
					return r.Table == "keys" && r.Keys == keys && r.Draw == draw && r.Baseline == baseline
				})
			}
		}
	}
}

func TestAlgFilters(t *testing.T) {
	for _, r := range rows(t, append([]string{"aead", "-alg", "aes-256-gcm"}, tiny...)...) {
		if r.Alg != "aes-256-gcm" {
			t.Errorf("row of %s", r.Alg)
		}
	}
}

func TestTextAndPictureOfATable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bench.svg")
	for _, args := range [][]string{
		{"aead", "-alg", "aes-128-gcm"}, {"mask"}, {"keys", "--most=100"},
	} {
		out, err := bench(t, slices.Concat(args, tiny, []string{"--plot", file})...)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out, "ratio") || !strings.Contains(out, "aes-128") {
			t.Errorf("%v printed %q", args, out)
		}
		svg, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(svg, []byte("<svg")) || !bytes.Contains(svg, []byte("ns a packet")) {
			t.Errorf("%v: no picture", args)
		}
	}
}

func TestBadCommandLines(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "expected"},
		{[]string{"bread"}, "bread"},
		{[]string{"aead", "-nonsense"}, "nonsense"},
		{[]string{"aead", "-alg", "rot13"}, "there are aes-128-gcm"},
		{[]string{"keys", "-alg", "rot13"}, "there are aes-128-gcm"},
		{[]string{"mask", "-alg", "rot13"}, "there are mask-aes-128, mask-aes-256, mask-chacha20"},
		{[]string{"aead", "-align", "64"}, "0 to 63"},
		{[]string{"mask", "-plot", "/no/such/folder/f.svg"}, "no such file"},
		{[]string{"mask", "-plot", "f.png"}, "does not end in .svg"},
		{[]string{"pne", "-plot", "f.png"}, "does not end in .svg"},
		{[]string{"pne", "-full", "-plot", "f.svg"}, "without --full"},
		{[]string{"keys", "-most", "0"}, "at least 1"},
		{[]string{"kex", "-alg", "rot13"}, "there are x25519, x448, p-256"},
	} {
		out, err := bench(t, c.args...)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: error %v, want one line with %q", c.args, err, c.want)
		}
		if out != "" {
			t.Errorf("%v printed %q", c.args, out)
		}
	}
}

// TestEnvironment wants a remark on a backend that is chosen in vain, and no rows
// of one whose features are taken away.
func TestEnvironment(t *testing.T) {
	t.Setenv(engine.EnvBackend, "std")
	t.Setenv(engine.EnvCPU, "none")
	var stdout, stderr bytes.Buffer
	if err := run(append([]string{"mask", "-json", "-alg", "mask-aes-128"}, tiny...), &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"SEALBURST_BACKEND=std is ignored", "SEALBURST_CPU=none leaves out"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no remark %q in %q", want, stderr.String())
		}
	}
	if strings.Contains(stdout.String(), "vaes") {
		t.Error("a backend has rows without its features")
	}
	t.Setenv(engine.EnvCPU, "-nonsense")
	if _, err := bench(t, "mask"); err == nil || !strings.Contains(err.Error(), "SEALBURST_CPU") {
		t.Errorf("error %v", err)
	}
}

func TestHelp(t *testing.T) {
	out, err := bench(t, "aead", "--help")
	if err != nil || !strings.Contains(out, "--quick") {
		t.Errorf("%q, %v", out, err)
	}
}

func TestMixHasItsPartsExactly(t *testing.T) {
	count := map[int]int{}
	sizes := imix.packets(32)
	for _, n := range sizes {
		count[n]++
	}
	if len(sizes)%32 != 0 || count[64]*4 != count[576]*7 || count[576] != count[1400]*4 {
		t.Errorf("%d packets: %v", len(sizes), count)
	}
	for i, b := range slices.Collect(slices.Chunk(sortBursts(sizes, 32), 32)) {
		own := slices.Sorted(slices.Values(sizes[32*i : 32*i+32]))
		if !slices.Equal(b, own) {
			t.Errorf("burst %d holds other packets when sorted", i)
		}
	}
}

func TestDraws(t *testing.T) {
	for _, draw := range []string{uniform, skewed} {
		count := make([]int, 100)
		for _, k := range drawKeys(100, draw) {
			count[k]++
		}
		most := slices.Max(count)
		if draw == uniform && most > 2<<16/100 || draw == skewed && most < 10<<16/100 {
			t.Errorf("%s: the most frequent key comes %d times", draw, most)
		}
	}
}
