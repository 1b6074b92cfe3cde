package dataplane

import (
	"math"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/seqstore"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// lookEvery is how often the numbers that were accepted are written down. Workers do not
// wait for it: after an end without a word, what came in since then and was not foreseen
// could come once more.
const lookEvery = time.Second

// received is an SA to receive through, and how far it has.
type received struct {
	sa      *ipsecadapter.InboundSA
	mark    *seqstore.Mark
	highest uint64 // number that was accepted, at the last look
}

// look writes down the numbers that may have been accepted by the next look, if more than
// are. It foresees twice as many packets as came since the last one.
func (r *received) look() error {
	highest, some := r.sa.Highest()
	if !some {
		return nil
	}
	came := highest - r.highest
	r.highest = highest
	if plus(highest, came) < r.mark.Lowest() {
		return nil
	}
	return r.mark.Put(plus(seqstore.Behind(highest), plus(came, came)))
}

// plus ends with the numbers.
func plus(number, more uint64) uint64 { return number + min(more, math.MaxUint64-number) }

// settle writes down what has been accepted, and no more.
func (r *received) settle() error {
	highest, some := r.sa.Highest()
	if !some {
		return nil
	}
	return r.mark.Put(seqstore.Behind(highest))
}
