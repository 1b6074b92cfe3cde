package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
)

// Cost is what a packet costs in nanoseconds: the median over the rounds.
type Cost struct {
	Seal float64 `json:"seal_ns"`
	Open float64 `json:"open_ns"`
}

// Comparison is the engine beside the standard library on the same packets. The
// two alternate burst by burst; each ratio is the median of the rounds' ratios.
type Comparison struct {
	Engine    Cost    `json:"engine"`
	Std       *Cost   `json:"std,omitempty"` // nil where the library lacks the cipher
	SealRatio float64 `json:"seal_ratio,omitempty"`
	OpenRatio float64 `json:"open_ratio,omitempty"`
}

// protector makes records of a burst in place, and packets of records.
type protector interface {
	Protect(burst []record.Datagram) int
	Unprotect(burst []record.Datagram) int
}

// contenders are the two sides of a comparison.
type contenders struct {
	ours  protector
	std   protector // nil where the library has no cipher.AEAD for it
	close func()
}

// contest makes both sides under fresh keys.
type contest func() (*contenders, error)

// compare runs both over the packets, round after round.
func compare(make contest, t *traffic, rounds int) (Comparison, error) {
	c, err := make()
	if err != nil {
		return Comparison{}, err
	}
	defer c.close()
	b := &bout{contenders: []protector{c.ours}, burst: port.NewBurst(port.MaxBurst, t.longest())}
	if c.std != nil {
		b.contenders = append(b.contenders, c.std)
	}
	for range rounds {
		if err := b.round(t.packets); err != nil {
			return Comparison{}, err
		}
	}
	return b.result(), nil
}

// bout is the times of a comparison: by contender, a cost for each round.
type bout struct {
	contenders []protector
	burst      []record.Datagram
	seal, open [2][]float64
}

func (b *bout) round(packets [][]byte) error {
	var seal, open [2]time.Duration
	for rest := packets; len(rest) > 0; {
		n := min(len(rest), len(b.burst))
		for who := range b.contenders {
			s, o, err := b.once(who, rest[:n])
			if err != nil {
				return err
			}
			seal[who] += s
			open[who] += o
		}
		rest = rest[n:]
	}
	for who := range b.contenders {
		b.seal[who] = append(b.seal[who], float64(seal[who])/float64(len(packets)))
		b.open[who] = append(b.open[who], float64(open[who])/float64(len(packets)))
	}
	return nil
}

// once seals and opens one burst and looks whether all of it came through.
func (b *bout) once(who int, packets [][]byte) (seal, open time.Duration, err error) {
	burst := b.burst[:len(packets)]
	for i := range burst {
		port.Put(&burst[i], packets[i])
	}
	begin := time.Now()
	sealed := b.contenders[who].Protect(burst)
	middle := time.Now()
	opened := b.contenders[who].Unprotect(burst)
	end := time.Now()
	if sealed != len(burst) || opened != len(burst) {
		return 0, 0, fmt.Errorf("%d of %d packets were sealed and %d opened", sealed, len(burst), opened)
	}
	return middle.Sub(begin), end.Sub(middle), nil
}

func (b *bout) result() Comparison {
	c := Comparison{Engine: Cost{median(b.seal[0]), median(b.open[0])}}
	if len(b.contenders) > 1 {
		c.Std = &Cost{median(b.seal[1]), median(b.open[1])}
		c.SealRatio, c.OpenRatio = pairedRatio(b.seal), pairedRatio(b.open)
	}
	return c
}

// pairedRatio is the median of how many times the engine is as fast.
func pairedRatio(times [2][]float64) float64 {
	ratios := make([]float64, len(times[0]))
	for i := range ratios {
		ratios[i] = times[1][i] / times[0][i]
	}
	return median(ratios)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
