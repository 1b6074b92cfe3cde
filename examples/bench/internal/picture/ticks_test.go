package picture

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func labels(marks plot.ConstantTicks) string {
	var all []string
	for _, m := range marks {
		all = append(all, m.Label)
	}
	return strings.Join(all, " ")
}

func TestLabelsHaveRoom(t *testing.T) {
	for _, c := range []struct {
		at   []float64
		want string
	}{
		{[]float64{4, 16, 64, 256, 600, 1000, 1200, 1450}, "4 16 64 256    1450"},
		{[]float64{1, 32, 100, 10_000, 1_000_000}, "1 32  10000 1 M"},
		{[]float64{1, 8, 64}, "1 8 64"},
		{[]float64{256}, "256"},
	} {
		marks := places(c.at)
		if got := labels(marks); got != c.want {
			t.Errorf("%v: labels %q, want %q", c.at, got, c.want)
		}
		for i, m := range marks {
			if m.Value != c.at[i] {
				t.Errorf("%v: mark at %v", c.at, m.Value)
			}
		}
	}
}

func TestStepsLabelBothEnds(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{20, 50, "20 50"},
		{2, 200, "2 5 10 20 50 100 200"},
		{0.05, 20000, "0.05 1 10 100 1000 20000"},
	} {
		got := strings.Join(strings.Fields(labels(steps(c.low, c.high))), " ")
		if got != c.want {
			t.Errorf("%v to %v: labels %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

func TestRoundingKeepsWhatIsRound(t *testing.T) {
	for _, power := range []float64{0.001, 0.1, 1, 10, 1000, 1e6} {
		for in, want := range map[float64][2]float64{1: {1, 1}, 1.5: {1, 2}, 2: {2, 2}, 3: {2, 5}, 5: {5, 5}, 7: {5, 10}, 9.99: {5, 10}} {
			down, up := roundDown(in*power), roundUp(in*power)
			if fmt.Sprintf("%.6g %.6g", down, up) != fmt.Sprintf("%.6g %.6g", want[0]*power, want[1]*power) {
				t.Errorf("%v: from %v to %v, want %v times %v", in*power, down, up, want, power)
			}
		}
	}
}
