package pair

import (
	"errors"
	"testing"
	"time"
)

// clock is a fake one that contestants move.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// costs is a contestant that takes so many nanoseconds an item, the next of a
// list each time that it runs for long.
func (c *clock) costs(name string, items int, ns ...int) Contestant {
	calls := 0
	return Contestant{Name: name, Items: items, Run: func(n int) error {
		c.now = c.now.Add(time.Duration(n * items * ns[calls%len(ns)]))
		calls++
		return nil
	}}
}

func TestRatioIsTheMedianOfPairs(t *testing.T) {
	c := &clock{now: time.Unix(0, 0)}
	// A machine that is three times as slow in every other round: ratios of
	// medians would be wrong, those within a round are 4 throughout.
	slowdown, call := []int{1, 3}, 0
	contestant := func(name string, ns int) Contestant {
		return Contestant{Name: name, Items: 2, Run: func(n int) error {
			c.now = c.now.Add(time.Duration(n * 2 * ns * slowdown[call/2%2]))
			call++
			return nil
		}}
	}
	scores, err := Match{Rounds: 5, Turn: 100, Now: c.Now}.Play([]Contestant{contestant("slow", 400), contestant("fast", 100)})
	if err != nil {
		t.Fatal(err)
	}
	if got := scores.Ratio(1, 0); got != 4 {
		t.Errorf("ratio %v, want 4; scores %v", got, scores)
	}
	if got := scores.Ratio(0, 1); got != 0.25 {
		t.Errorf("ratio the other way %v, want 0.25", got)
	}
	if got := scores.Spread(1, 0); got != 0 {
		t.Errorf("spread %v, want 0", got)
	}
}

func TestDeltaAndTimes(t *testing.T) {
	s := Scores{{10, 20, 30}, {11, 25, 31}}
	if got := s.NS(0); got != 20 {
		t.Errorf("median %v, want 20", got)
	}
	if got := s.Delta(1, 0); got != 1 {
		t.Errorf("delta %v, want 1: the median of 1, 5, 1", got)
	}
}

func TestSpreadIsTheQuartiles(t *testing.T) {
	s := Scores{{1, 1, 1, 1, 1, 1, 1, 1}, {8, 7, 6, 5, 4, 3, 2, 1}}
	if got := s.Spread(0, 1); got != 100*(6-3)/4.5 {
		t.Errorf("spread %v, want %v", got, 100*(6-3)/4.5)
	}
}

func TestMedianOfAnEvenNumber(t *testing.T) {
	if got := Median([]float64{4, 1, 3, 2}); got != 2.5 {
		t.Errorf("median %v, want 2.5", got)
	}
}

func TestUnitsFillTheTurn(t *testing.T) {
	c := &clock{}
	var ran []int
	counted := Contestant{Name: "counted", Items: 1, Run: func(n int) error {
		ran = append(ran, n)
		c.now = c.now.Add(time.Duration(n) * time.Microsecond)
		return nil
	}}
	if _, err := (Match{Rounds: 3, Turn: time.Millisecond, Now: c.Now}).Play([]Contestant{counted}); err != nil {
		t.Fatal(err)
	}
	for _, n := range ran[len(ran)-3:] {
		if n != 1000 {
			t.Errorf("ran %v units, want 1000 in a millisecond", ran)
		}
	}
}

func TestNobodyAlwaysFollowsTheSame(t *testing.T) {
	c := &clock{}
	var order []string
	note := func(name string) Contestant {
		return Contestant{Name: name, Items: 1, Run: func(n int) error {
			order = append(order, name)
			c.now = c.now.Add(time.Second)
			return nil
		}}
	}
	if _, err := (Match{Rounds: 3, Turn: 1, Now: c.Now}).Play([]Contestant{note("a"), note("b"), note("c")}); err != nil {
		t.Fatal(err)
	}
	first := []string{order[3], order[6], order[9]}
	if first[0] == first[1] || first[1] == first[2] || first[0] == first[2] {
		t.Errorf("rounds began with %v", first)
	}
}

func TestErrorEndsTheMatchAndNamesTheContestant(t *testing.T) {
	c := &clock{}
	broken := errors.New("broken")
	_, err := Match{Rounds: 3, Turn: 1, Now: c.Now}.Play([]Contestant{
		c.costs("good", 1, 5), {Name: "bad", Items: 1, Run: func(int) error { return broken }},
	})
	if !errors.Is(err, broken) || err.Error() != "bad: broken" {
		t.Errorf("error %v", err)
	}
}

func TestWarmingIsNotTimed(t *testing.T) {
	c := &clock{}
	cold := false // another contestant ran since
	throwing := c.costs("throwing", 1, 1000)
	run := throwing.Run
	throwing.Run = func(n int) error { cold = true; return run(n) }
	warmed := Contestant{Name: "warmed", Items: 1, Warm: 3, Run: func(n int) error {
		ns := 10
		if cold {
			ns, cold = 5000, false
		}
		c.now = c.now.Add(time.Duration(n * ns))
		return nil
	}}
	scores, err := Match{Rounds: 5, Turn: 100, Now: c.Now}.Play([]Contestant{throwing, warmed})
	if err != nil {
		t.Fatal(err)
	}
	if got := scores.NS(1); got != 10 {
		t.Errorf("%v ns, want 10", got)
	}
}

func TestLateMatchLeavesOutRounds(t *testing.T) {
	for limit, want := range map[time.Duration]int{0: 20, time.Nanosecond: fewest, time.Hour: 20} {
		c := &clock{}
		scores, err := Match{Rounds: 20, Turn: 100, Limit: limit, Now: c.Now}.Play([]Contestant{c.costs("a", 1, 10), c.costs("b", 1, 20)})
		if err != nil {
			t.Fatal(err)
		}
		if scores.Rounds() != want || len(scores[1]) != want || scores.Ratio(0, 1) != 2 {
			t.Errorf("limit %v: %d rounds, want %d", limit, scores.Rounds(), want)
		}
	}
}
