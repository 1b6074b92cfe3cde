package model

import (
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

// The machine may change its speed in the middle of a sample. Where the bursts of
// the two halves are farther apart than that, the sample is thrown away and taken
// again, up to so many times; the steadiest one counts if none is steady.
const (
	apart = 1.2
	tries = 3
)

// sampler takes samples of loads.
type sampler struct {
	run       func(Load) (reading, error)
	reference float64       // nanoseconds of a burst at the speed that counts
	enough    time.Duration // of work in a sample, at least
	taken     int           // samples, those thrown away too
	rejected  int           // of them
}

// take runs a load until that was enough work. The sample is the median of the
// runs, brought to the reference speed by the median of the bursts: both move
// little when something else comes in between.
func (s *sampler) take(l Load) (best Sample, err error) {
	least := 0.0
	for try := range tries {
		runs, bursts, err := s.again(l)
		if err != nil {
			return Sample{}, err
		}
		s.taken++
		off := disagreement(bursts)
		if try == 0 || off < least {
			least, best = off, Sample{l, pair.Median(runs) * s.reference / pair.Median(bursts)}
		}
		if off <= apart {
			break
		}
		s.rejected++
	}
	return best, nil
}

// inTurns samples loads one after the other, so many times, so that the samples
// of one are apart.
func (s *sampler) inTurns(loads []Load, passes int) (took [][]float64, err error) {
	took = make([][]float64, len(loads))
	for range passes {
		for i, l := range loads {
			sample, err := s.take(l)
			if err != nil {
				return nil, err
			}
			took[i] = append(took[i], sample.NS)
		}
	}
	return took, nil
}

// again runs a load until it was enough.
func (s *sampler) again(l Load) (runs, bursts []float64, err error) {
	for sum := 0.0; sum < float64(s.enough) || len(runs) == 0; {
		r, err := s.run(l)
		if err != nil {
			return nil, nil, err
		}
		sum += r.spent
		runs, bursts = append(runs, r.spent), append(bursts, r.bursts...)
	}
	return runs, bursts, nil
}

// disagreement is how many times as long the bursts of one half took as those of
// the other.
func disagreement(bursts []float64) float64 {
	a, b := pair.Median(bursts[:(len(bursts)+1)/2]), pair.Median(bursts[len(bursts)/2:])
	return max(a, b) / min(a, b)
}
