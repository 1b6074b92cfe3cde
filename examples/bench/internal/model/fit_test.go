package model

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var truth = Model{Setup: 4e6, Connection: 1.2e6, Packet: 60, Byte: 0.2, State: 9000, Half: 512}

func samples(loads []Load, noise float64) (all []Sample) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, l := range loads {
		all = append(all, Sample{l, truth.Predict(l) * (1 + noise*(2*r.Float64()-1))})
	}
	return all
}

// TestPredict follows the formula by hand: 10 connections of 200 packets are 20
// trains.
func TestPredict(t *testing.T) {
	want := 4e6 + 10*1.2e6 + 2000*60 + 2000*300*0.2 + 20*9000*9/(9+512.0)
	if got := truth.Predict(Load{10, 200, 300}); math.Abs(got-want) > 1e-6*want {
		t.Errorf("%f, want %f", got, want)
	}
	if got, want := truth.PacketOf(300, 1), 60+0.2*300; got != want {
		t.Errorf("a packet: %f, want %f", got, want)
	}
}

// TestFitFindsTheModel makes the loads of the full study up and wants every cost back.
func TestFitFindsTheModel(t *testing.T) {
	m, err := Fit(samples(FullStudy().Fitted, 0))
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{
		"setup": {m.Setup, truth.Setup}, "connection": {m.Connection, truth.Connection}, "packet": {m.Packet, truth.Packet},
		"byte": {m.Byte, truth.Byte}, "state": {m.State, truth.State}, "half": {m.Half, truth.Half},
	} {
		if math.Abs(pair[0]/pair[1]-1) > 1e-6 {
			t.Errorf("%s is %g, want %g", name, pair[0], pair[1])
		}
	}
}

// TestFitForgivesNoise wants predictions of the loads that are not fitted within
// 10 percent where the samples have 5.
func TestFitForgivesNoise(t *testing.T) {
	study := FullStudy()
	m, err := Fit(samples(append(study.Fitted, study.Fitted...), 0.05))
	if err != nil {
		t.Fatal(err)
	}
	for _, checks := range study.Checks {
		for _, l := range checks {
			if e := SymmetricError(m.Predict(l), truth.Predict(l)); e > 10 {
				t.Errorf("%+v: %.1f percent", l, e)
			}
		}
	}
}

// TestFitForgivesOutliers has every fifth sample of a machine that had other work
// meanwhile. Each cost by itself must stand out of noise and outliers.
func TestFitForgivesOutliers(t *testing.T) {
	loads := FullStudy().Fitted
	all := samples(slices.Concat(loads, loads, loads, loads), 0.03)
	for i := 0; i < len(all); i += 5 {
		all[i].NS *= 2
	}
	m, err := Fit(all)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]float64{
		"setup": {m.Setup, truth.Setup}, "connection": {m.Connection, truth.Connection},
		"packet of 1024 bytes": {m.PacketOf(1024, 1), truth.PacketOf(1024, 1)},
	} {
		if math.Abs(pair[0]/pair[1]-1) > 0.06 {
			t.Errorf("%s is %g, want %g", name, pair[0], pair[1])
		}
	}
}

func TestFitRefusesLoadsThatAreAlike(t *testing.T) {
	for _, loads := range [][]Load{
		{{1, 10, 64}, {2, 10, 64}, {3, 10, 64}, {4, 10, 64}, {5, 10, 64}, {6, 10, 64}}, nil,
	} {
		if _, err := Fit(samples(loads, 0)); !errors.Is(err, ErrSamples) {
			t.Errorf("%d loads: %v", len(loads), err)
		}
	}
}

// TestFitHasNoNegativeCosts gives small loads that were cheaper than the large ones
// say, which a plain fit explains by a negative setup.
func TestFitHasNoNegativeCosts(t *testing.T) {
	all := samples(FullStudy().Fitted, 0)
	for i := range all {
		if all[i].Total() < 100 {
			all[i].NS /= 20
		}
	}
	m, err := Fit(all)
	if err != nil {
		t.Fatal(err)
	}
	if min(m.Setup, m.Connection, m.Packet, m.Byte, m.State) < 0 {
		t.Errorf("%+v", m)
	}
}

func TestSymmetricError(t *testing.T) {
	if a, b := SymmetricError(90, 110), SymmetricError(110, 90); a != 20 || b != 20 {
		t.Errorf("%f, %f", a, b)
	}
}

// TestStudyChecksWhatItDoesNotFit keeps the promise of the study.
func TestStudyChecksWhatItDoesNotFit(t *testing.T) {
	for _, s := range []Study{FullStudy(), QuickStudy()} {
		fitted := map[Load]bool{}
		for _, l := range s.Fitted {
			fitted[l] = true
		}
		for _, checks := range s.Checks {
			for _, l := range checks {
				if fitted[l] || l.Total() > 20_000_000 {
					t.Errorf("%+v", l)
				}
			}
		}
	}
}
