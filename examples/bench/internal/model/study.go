package model

import (
	"fmt"
	"slices"
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

// Study is a plan: loads to fit the model to, again in each round and twice in the
// first, and loads to check it on, some in each round.
type Study struct {
	Fitted []Load
	Checks [][]Load      // round by round
	Passes int           // how often a round goes through its checks
	Work   time.Duration // of a sample, at least: shorter loads run again and again
}

// FullStudy checks loads from one connection to 1000, from 10 packets each to
// 1,000,000, and up to 20 million together. None of them is fitted.
func FullStudy() Study {
	return Study{
		Fitted: []Load{
			{1, 1, 64}, {2, 100, 1450}, {30, 20, 64}, {150, 100, 1450}, {600, 20, 512}, {4, 20_000, 64},
			{1, 800_000, 64}, {1, 300_000, 1450}, {8, 25_000, 512}, {30, 50_000, 64}, {100, 30_000, 64},
			{100, 10_000, 1450}, {300, 8000, 512}, {900, 5000, 64},
		},
		Checks: [][]Load{
			{{1, 10, 256}, {1000, 10, 128}, {1, 1_000_000, 256}},
			{{10, 1000, 1024}, {1000, 1000, 600}, {3, 300_000, 1200}},
			{{100, 100, 256}, {40, 60_000, 128}, {100, 100_000, 256}},
			{{500, 300, 1300}, {1, 100_000, 900}, {1000, 20_000, 64}},
		},
		Passes: 2, Work: 100 * time.Millisecond,
	}
}

// QuickStudy takes seconds.
func QuickStudy() Study {
	return Study{
		Fitted: []Load{{1, 1, 64}, {12, 10, 512}, {25, 100, 1450}, {1, 60_000, 64}, {2, 30_000, 1450}, {20, 4000, 512}, {80, 1000, 64}},
		Checks: [][]Load{
			{{5, 1000, 256}, {60, 10, 128}},
			{{1, 100_000, 256}, {10, 10_000, 1024}},
		},
		Passes: 1, Work: 50 * time.Millisecond,
	}
}

// Outcome is what a study found.
type Outcome struct {
	Model    Model // of all samples
	Samples  []Sample
	Checks   []Check
	Taken    int // samples, fitted and checked
	Rejected int // of them, since the machine changed its speed meanwhile
}

// Check is a load, what was predicted of it and what it took then.
type Check struct {
	Sample
	Predicted float64
}

// SMAPE is the symmetric mean absolute percentage error of the predictions.
func (o *Outcome) SMAPE() float64 {
	sum := 0.0
	for _, c := range o.Checks {
		sum += SymmetricError(c.Predicted, c.NS) / float64(len(o.Checks))
	}
	return sum
}

// Run runs a study. In each round it fits all samples there are by then, tells of
// every prediction, and only then runs the loads that it predicted.
func (s Study) Run(r *Runner, tell func(Row) error) (o *Outcome, err error) {
	return o, r.Alone(func() error {
		o, err = s.runOn(&sampler{run: r.run, enough: s.Work}, tell)
		return err
	})
}

func (s Study) runOn(by *sampler, tell func(Row) error) (*Outcome, error) {
	o := &Outcome{}
	// The first run of a process costs more, since it takes memory from the system;
	// of the second one the bursts are those of a machine at work.
	for range 2 {
		r, err := by.run(s.widest())
		if err != nil {
			return nil, err
		}
		by.reference = pair.Median(r.bursts)
	}
	for round, checks := range s.Checks {
		loads := s.Fitted
		if round == 0 { // not even the first predictions rest on single samples
			loads = slices.Concat(loads, loads)
		}
		if err := o.fit(by, loads, tell); err != nil {
			return nil, err
		}
		if err := o.check(by, checks, s.Passes, tell); err != nil {
			return nil, err
		}
	}
	o.Taken, o.Rejected = by.taken, by.rejected
	return o, nil
}

// widest is a short load with as many connections as any has.
func (s Study) widest() Load {
	l := Load{1, 1, 64}
	for _, loads := range append(s.Checks[:len(s.Checks):len(s.Checks)], s.Fitted) {
		for _, other := range loads {
			l.Connections = max(l.Connections, other.Connections)
		}
	}
	return l
}

func (o *Outcome) fit(by *sampler, loads []Load, tell func(Row) error) (err error) {
	for _, l := range loads {
		sample, err := by.take(l)
		if err != nil {
			return err
		}
		o.Samples = append(o.Samples, sample)
		if err := tell(loadRow(KindSample, l, Row{NS: sample.NS})); err != nil {
			return err
		}
	}
	o.Model, err = Fit(o.Samples)
	return err
}

func (o *Outcome) check(by *sampler, loads []Load, passes int, tell func(Row) error) error {
	first := len(o.Checks)
	for _, l := range loads {
		c := Check{Sample{Load: l}, o.Model.Predict(l)}
		o.Checks = append(o.Checks, c)
		if err := tell(loadRow(KindPrediction, l, Row{Predicted: c.Predicted})); err != nil {
			return err
		}
	}
	took, err := by.inTurns(loads, passes)
	if err != nil {
		return err
	}
	for i, l := range loads {
		c := &o.Checks[first+i]
		c.NS = pair.Median(took[i])
		row := Row{NS: c.NS, Predicted: c.Predicted, Error: SymmetricError(c.Predicted, c.NS)}
		if err := tell(loadRow(KindMeasurement, l, row)); err != nil {
			return err
		}
	}
	return nil
}

func loadRow(kind string, l Load, r Row) Row {
	r.Kind, r.Name = kind, "load"
	r.Connections, r.Packets, r.Bytes = l.Connections, l.Packets, l.Bytes
	return r
}

// paperBytes is the payload at which the paper's packet stands beside ours.
const paperBytes = 1024

// Rows are the model beside the paper's, whose figures are cycles.
func (o *Outcome) Rows() []Row {
	m := o.Model
	packet := m.PacketOf(paperBytes, 1)
	return []Row{
		{Kind: KindModel, Name: "setup", NS: m.Setup, Paper: paperSetup},
		{Kind: KindModel, Name: "connection", NS: m.Connection, Paper: paperConnection},
		{Kind: KindModel, Name: "packet", NS: m.Packet},
		{Kind: KindModel, Name: "byte", NS: m.Byte},
		{Kind: KindModel, Name: "packet", Bytes: paperBytes, NS: packet, Paper: paperPacket},
		{Kind: KindModel, Name: "packet", Bytes: paperBytes, Connections: 1000, NS: m.PacketOf(paperBytes, 1000)},
		{Kind: KindFinding, Name: "connection over packet", Bytes: paperBytes, Value: m.Connection / packet, Unit: "times", Paper: paperConnectionOver},
		{Kind: KindFinding, Name: "samples rejected", Value: float64(o.Rejected), Unit: fmt.Sprintf("of %d", o.Taken)},
		{Kind: KindFinding, Name: "error of predictions", Value: o.SMAPE(), Unit: "percent"},
	}
}
