package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// script is a sampler whose runs are given; the bursts of the first half of a run
// and of the second take so long.
type script struct{ spent, first, second float64 }

func scripted(t *testing.T, enough time.Duration, runs ...script) *sampler {
	return &sampler{reference: 100, enough: enough, run: func(Load) (reading, error) {
		if len(runs) == 0 {
			t.Fatal("ran once too often")
		}
		r := runs[0]
		runs = runs[1:]
		return reading{r.spent, []float64{r.first, r.first, r.first, r.second, r.second, r.second}}, nil
	}}
}

func TestSampleIsTheMedianAtTheReferenceSpeed(t *testing.T) {
	s := scripted(t, 45, script{10, 150, 150}, script{30, 150, 150}, script{12, 150, 150})
	got, err := s.take(Load{1, 2, 3})
	if err != nil || got != (Sample{Load{1, 2, 3}, 12 * 100 / 150.0}) {
		t.Errorf("%+v, %v: want the median, 12, of runs of 45 together, at 2/3", got, err)
	}
	if s.taken != 1 || s.rejected != 0 {
		t.Errorf("%d taken, %d rejected", s.taken, s.rejected)
	}
}

func TestSampleIsRejectedWhenTheMachineChangesItsSpeed(t *testing.T) {
	for name, second := range map[string]float64{"slower": 150, "faster": 100 / 1.5} {
		s := scripted(t, 1, script{10, 100, second}, script{20, 100, 110})
		got, err := s.take(Load{})
		if err != nil || math.Abs(got.NS-20/1.05) > 1e-9 || s.taken != 2 || s.rejected != 1 {
			t.Errorf("%s: %+v, %v, %d taken, %d rejected", name, got, err, s.taken, s.rejected)
		}
	}
}

func TestSampleIsTheSteadiestOfUnsteadyOnes(t *testing.T) {
	s := scripted(t, 1, script{10, 100, 200}, script{20, 100, 130}, script{30, 100, 150})
	got, err := s.take(Load{})
	if err != nil || math.Abs(got.NS-20/1.15) > 1e-9 || s.taken != 3 || s.rejected != 3 {
		t.Errorf("%+v, %v, %d taken, %d rejected", got, err, s.taken, s.rejected)
	}
}

func TestSamplePassesErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	s := &sampler{run: func(Load) (reading, error) { return reading{}, broken }}
	if _, err := s.inTurns([]Load{{}}, 1); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestStudyOfAnUnsteadyMachine studies a made-up gateway on a machine that changes
// its speed by half more at every third run, in the middle of one in nine, and
// whose runs differ by 4 percent either way. What it finds is as if it did not.
func TestStudyOfAnUnsteadyMachine(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	run, slow := 0, 1.0
	by := &sampler{enough: 1, run: func(l Load) (reading, error) {
		before := slow
		if run++; run%3 == 0 {
			slow = 2.5 - slow
		}
		if run%9 != 0 {
			before = slow
		}
		spent := truth.Predict(l) * (before + slow) / 2 * (0.96 + 0.08*r.Float64())
		return reading{spent, []float64{100 * before, 100 * before, 100 * slow, 100 * slow}}, nil
	}}
	o, err := FullStudy().runOn(by, func(Row) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if o.SMAPE() > 4 {
		t.Errorf("the predictions are off by %.1f percent", o.SMAPE())
	}
	if o.Rejected == 0 || o.Taken-o.Rejected != 5*14+2*12 {
		t.Errorf("%d of %d rejected", o.Rejected, o.Taken)
	}
	for _, row := range o.Rows() {
		if row.Name == "samples rejected" && row.Value == float64(o.Rejected) && strings.HasPrefix(row.Unit, "of ") {
			return
		}
	}
	t.Error("the rows do not say how many were rejected")
}
