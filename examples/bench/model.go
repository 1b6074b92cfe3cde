package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sealburst/sealburst/examples/bench/internal/model"
	"github.com/sealburst/sealburst/examples/bench/internal/pin"
)

// modelTable is bench model.
type modelTable struct {
	JSON  bool   `name:"json" help:"Print one JSON object a line."`
	Quick bool   `help:"Fewer sizes, loads and rounds, under 15 seconds."`
	Plot  string `placeholder:"FILE.svg" help:"Draw the model into a file too."`
	Only  string `enum:",steps,handshakes,libssl,unaccelerated,sessions,fit" default:"" help:"Only this part: steps, handshakes, libssl, unaccelerated, sessions or fit."`

	// command runs this program again; tests have another.
	command []string
}

// Run measures the parts one after the other.
func (t *modelTable) Run(s streams) error {
	plot := options{Plot: t.Plot}
	if err := plot.checkPlot(); err != nil {
		return err
	}
	if t.Plot != "" && t.Only != "" && t.Only != "fit" {
		return fmt.Errorf("--plot draws the part fit, which --only=%s leaves out", t.Only)
	}
	if t.command == nil {
		path, err := os.Executable()
		if err != nil {
			return err
		}
		t.command = []string{path}
	}
	p := newModelPrinter(s.out, t.JSON)
	for _, part := range []struct {
		name string
		run  func(*modelPrinter) error
	}{
		{"steps", t.steps}, {"unaccelerated", t.unaccelerated}, {"handshakes", t.handshakes},
		{"libssl", t.libssl}, {"sessions", t.sessions}, {"fit", t.fit},
	} {
		if t.Only != "" && t.Only != part.name {
			continue
		}
		if err := part.run(p); err != nil {
			return err
		}
	}
	return p.close()
}

// effort is how long a figure is measured, shorter with Quick.
func (t *modelTable) effort(rounds int, turn time.Duration) model.Effort {
	if t.Quick {
		return model.Effort{Rounds: max(3, rounds/4), Turn: turn / 4}
	}
	return model.Effort{Rounds: rounds, Turn: turn}
}

func (t *modelTable) sizes() []int {
	if t.Quick {
		return []int{64, 1450}
	}
	return []int{64, 256, 512, 1024, 1450}
}

// steps are a packet's, on a thread of its own core, as the other tables measure.
func (t *modelTable) steps(p *modelPrinter) error {
	return alone(func() error {
		for _, suite := range model.Suites() {
			for _, size := range t.sizes() {
				if err := p.rows(model.Steps(suite, size, t.effort(25, 2*time.Millisecond))); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// alone runs f on a goroutine whose pinned thread ends with it.
func alone(f func() error) error {
	done := make(chan error, 1)
	go func() {
		if _, err := pin.Thread(); err != nil {
			done <- err
			return
		}
		done <- f()
	}()
	return <-done
}

func (t *modelTable) unaccelerated(p *modelPrinter) error {
	args := append(t.command[:len(t.command):len(t.command)], "model", "--json", "--only=steps")
	if t.Quick {
		args = append(args, "--quick")
	}
	rows, err := model.Unaccelerated(context.Background(), args...)
	if err != nil {
		return err
	}
	return p.rows(append(rows, model.Dearest(rows)...), nil)
}

func (t *modelTable) handshakes(p *modelPrinter) error {
	kinds, err := model.Kinds()
	if err != nil {
		return err
	}
	return p.rows(model.Handshakes(kinds, t.effort(25, 12*time.Millisecond)))
}

func (t *modelTable) libssl(p *modelPrinter) error {
	return p.rows(model.Library(t.effort(15, 30*time.Millisecond)))
}

// sessions are what many of them cost.
func (t *modelTable) sessions(p *modelPrinter) error {
	kinds, err := model.Kinds()
	if err != nil {
		return err
	}
	err = alone(func() error { return p.rows(model.Lookups(1_000_000, t.effort(15, 20*time.Millisecond))) })
	if err != nil {
		return err
	}
	halves, connections := 10_000, 400
	if t.Quick {
		halves, connections = 2000, 50
	}
	return p.rows(model.Memory(kinds[fitted], halves, connections))
}

// fitted is the kind of handshake whose connections the model counts: X25519 with
// ECDSA, the second of Kinds.
const fitted = 1

func (t *modelTable) fit(p *modelPrinter) error {
	kinds, err := model.Kinds()
	if err != nil {
		return err
	}
	study := model.FullStudy()
	if t.Quick {
		study = model.QuickStudy()
	}
	runner, err := model.NewRunner(kinds[fitted])
	if err != nil {
		return err
	}
	o, err := study.Run(runner, p.row)
	if err != nil {
		return err
	}
	if err := p.rows(o.Rows(), nil); err != nil || t.Plot == "" {
		return err
	}
	return model.Draw(t.Plot, o)
}
