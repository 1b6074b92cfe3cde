package model

import (
	"runtime"
	"time"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
	"github.com/sealburst/sealburst/examples/bench/internal/pin"
)

// Effort says how long things are measured.
type Effort struct {
	Rounds int
	Turn   time.Duration // of one contestant in one round, about
}

// play times contestants by the processor time of the whole process, since what
// they do runs on several goroutines.
func (e Effort) play(cs []pair.Contestant) (pair.Scores, error) {
	return pair.Match{Rounds: e.Rounds, Turn: e.Turn, Now: processNow}.Play(cs)
}

// playAlone times contestants by the processor time of this goroutine's thread.
func (e Effort) playAlone(cs []pair.Contestant) (pair.Scores, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return pair.Match{Rounds: e.Rounds, Turn: e.Turn, Now: pin.Clock}.Play(cs)
}

// Handshakes measures a handshake of every kind, both sides of it together.
func Handshakes(kinds []*Kind, effort Effort) ([]Row, error) {
	e, err := engine.New(engine.Config{})
	if err != nil {
		return nil, err
	}
	defer e.Close()
	var cs []pair.Contestant
	for _, k := range kinds {
		cs = append(cs, pair.Contestant{Name: k.Name, Items: 1, Run: func(n int) error {
			for range n {
				c, err := k.connect(e)
				if err != nil {
					return err
				}
				c.close()
			}
			return nil
		}})
	}
	return rowsOf(KindHandshake, cs, effort)
}

// rowsOf plays contestants and makes a row of each.
func rowsOf(kind string, cs []pair.Contestant, effort Effort) ([]Row, error) {
	scores, err := effort.play(cs)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, c := range cs {
		rows = append(rows, Row{Kind: kind, Name: c.Name, NS: scores.NS(i)})
	}
	return rows, nil
}
