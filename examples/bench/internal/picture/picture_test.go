package picture

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

var axis = Axis{
	Label: "bytes",
	Of:    func(r table.Row) float64 { return float64(r.Bytes) },
	Costs: "ns a packet",
	Points: func(r table.Row) (string, []Point) {
		if r.Burst != 32 {
			return "", nil
		}
		return r.Op + " " + r.Alg, Compared(r)
	},
}

func rows() (all []table.Row) {
	for _, alg := range []string{"a", "b", "c", "d"} {
		for _, n := range []int{64, 1450, 1_000_000} {
			for i, backend := range []string{"fast", "std"} {
				all = append(all, table.Row{Op: "seal", Alg: alg, Backend: backend, Bytes: n, Burst: 32, NS: float64(n) * float64(i+1), Baseline: "std", BaseNS: float64(n) * 3})
			}
		}
		all = append(all, table.Row{Op: "seal", Alg: alg, Backend: "fast", Bytes: 64, Burst: 1, NS: 99, Baseline: "std", BaseNS: 99})
	}
	return all
}

func TestPanelsAndLines(t *testing.T) {
	panels := split(rows(), axis)
	if len(panels) != 4 || panels[0].title != "seal a" {
		t.Fatalf("%d panels, want 4", len(panels))
	}
	for _, p := range panels {
		if len(p.lines) != 3 {
			t.Fatalf("%s has %d lines, want the baseline and two backends", p.title, len(p.lines))
		}
		for _, l := range p.lines {
			if len(l.points) != 3 {
				t.Errorf("%s, %s: %d points, want 3", p.title, l.name, len(l.points))
			}
		}
	}
	if got := panels[0].lines[1]; got.name != "fast" || got.points[1].X != 1450 || got.points[1].Y != 1450 {
		t.Errorf("%+v", got)
	}
}

func TestSaveWritesAPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.svg")
	if err := Save(file, rows(), axis); err != nil {
		t.Fatal(err)
	}
	svg, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", "seal a", "seal d", "fast", "std, one a call", "1 M", "1450"} {
		if !bytes.Contains(svg, []byte(want)) {
			t.Errorf("the picture has no %q", want)
		}
	}
}

func TestNothingToDrawIsAnError(t *testing.T) {
	if err := Save(filepath.Join(t.TempDir(), "p.svg"), nil, axis); err == nil {
		t.Error("an empty table was drawn")
	}
}
