// Package pair times contestants against each other. All of them run in one
// process, in turns, many rounds; what is reported of two is the median over the
// rounds of the ratio within a round. A machine that grows slower between two
// rounds changes both sides of a ratio.
package pair

import (
	"fmt"
	"slices"
	"time"
)

// Contestant is one way to do some work. Run does it n times; once is a unit of
// Items items. An error of Run ends the match.
type Contestant struct {
	Name  string
	Items int
	Run   func(n int) error
	// Warm is how many units are run before each turn and not timed, so that the
	// caches hold again what the others threw out.
	Warm int
}

// Match says how long contestants run against each other.
type Match struct {
	Rounds int              // at most
	Turn   time.Duration    // how long a contestant runs in a round, about
	Limit  time.Duration    // after which, by the wall's clock, only the first few rounds are played; 0 means never
	Now    func() time.Time // the clock; nil means time.Now
}

// fewest is how many rounds are played however long they take.
const fewest = 5

// Scores are the nanoseconds an item of each contestant in each round.
type Scores [][]float64

// Play runs the contestants in turns. The first of a round is another one each
// time, so that none always runs after the same other. A unit that takes longer
// than its turn, or a busy machine, costs rounds.
func (m Match) Play(cs []Contestant) (Scores, error) {
	if m.Now == nil {
		m.Now = time.Now
	}
	start := time.Now()
	units := make([]int, len(cs))
	scores := make(Scores, len(cs))
	for i := range cs {
		var err error
		if units[i], err = m.units(&cs[i]); err != nil {
			return nil, err
		}
	}
	for round := range m.Rounds {
		if m.Limit > 0 && round >= fewest && time.Since(start) > m.Limit {
			break
		}
		for turn := range cs {
			i := (turn + round) % len(cs)
			took, err := m.turn(&cs[i], units[i])
			if err != nil {
				return nil, err
			}
			scores[i] = append(scores[i], float64(took)/float64(units[i]*cs[i].Items))
		}
	}
	return scores, nil
}

// units is how many units fill a turn. It doubles until the time can be told,
// which warms the caches too.
func (m Match) units(c *Contestant) (int, error) {
	for n := 1; ; n *= 2 {
		took, err := m.time(c, n)
		if err != nil {
			return 0, err
		}
		if took >= m.Turn/4 {
			return max(1, int(float64(n)*float64(m.Turn)/float64(took))), nil
		}
	}
}

// turn warms a contestant up and times it.
func (m Match) turn(c *Contestant, n int) (time.Duration, error) {
	if c.Warm > 0 {
		if err := c.Run(c.Warm); err != nil {
			return 0, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return m.time(c, n)
}

func (m Match) time(c *Contestant, n int) (time.Duration, error) {
	start := m.Now()
	if err := c.Run(n); err != nil {
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	return m.Now().Sub(start), nil
}

// Rounds is how many were played.
func (s Scores) Rounds() int { return len(s[0]) }

// NS is the median nanoseconds an item of contestant i.
func (s Scores) NS(i int) float64 { return Median(s[i]) }

// Ratio is the median over rounds of the time of base over that of i: how many
// times as fast i is.
func (s Scores) Ratio(i, base int) float64 { return Median(s.ratios(i, base)) }

// Delta is the median over rounds of the nanoseconds an item that i takes more
// than base.
func (s Scores) Delta(i, base int) float64 {
	deltas := make([]float64, len(s[i]))
	for round := range deltas {
		deltas[round] = s[i][round] - s[base][round]
	}
	return Median(deltas)
}

// Spread is the distance of the quartiles of the ratio, in percent of its median.
func (s Scores) Spread(i, base int) float64 {
	ratios := s.ratios(i, base)
	slices.Sort(ratios)
	n := len(ratios)
	return 100 * (ratios[n-1-n/4] - ratios[n/4]) / Median(ratios)
}

func (s Scores) ratios(i, base int) []float64 {
	ratios := make([]float64, len(s[i]))
	for round := range ratios {
		ratios[round] = s[base][round] / s[i][round]
	}
	return ratios
}

// Median is the middle value, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
