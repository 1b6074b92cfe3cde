package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/sealburst/sealburst/examples/bench/internal/model"
)

// modelPrinter prints rows of the model as they come, a block for each kind.
type modelPrinter struct {
	enc  *json.Encoder // nil for people
	w    *tabwriter.Writer
	kind string
	ghz  float64
}

func newModelPrinter(w io.Writer, asJSON bool) *modelPrinter {
	p := &modelPrinter{ghz: model.Gigahertz()}
	if asJSON {
		p.enc = json.NewEncoder(w)
		return p
	}
	p.w = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	return p
}

// rows prints what a part measured, or passes on why it could not.
func (p *modelPrinter) rows(rows []model.Row, err error) error {
	for _, r := range rows {
		if err == nil {
			err = p.row(r)
		}
	}
	return err
}

// row completes a row with cycles and prints it.
func (p *modelPrinter) row(r model.Row) error {
	if p.kind == "" {
		p.kind = model.KindClock
		clock := model.Row{Kind: model.KindClock, Name: "processor", Value: p.ghz, Unit: "GHz"}
		if err := p.print(clock); err != nil {
			return err
		}
	}
	return p.print(r)
}

func (p *modelPrinter) print(r model.Row) error {
	r.Table, r.Cycles = "model", r.NS*p.ghz
	if p.enc != nil {
		return p.enc.Encode(r)
	}
	if r.Kind != p.kind && blocks[r.Kind] != blocks[p.kind] {
		if err := p.w.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(p.w, "\n%s\n%s\n", blocks[r.Kind].title, blocks[r.Kind].columns)
	}
	p.kind = r.Kind
	if _, err := fmt.Fprintln(p.w, line(r)); err != nil || blocks[r.Kind].columns != loadColumns {
		return err
	}
	return p.w.Flush() // a prediction is written down before its load runs
}

// block is what rows of a kind stand under.
type block struct{ title, columns string }

const (
	packetColumns = "suite\tbytes\tstep\tns\tcycles\t"
	loadColumns   = "           \tconnections\tpackets each\t bytes\tpredicted ms\tmeasured ms\t error %\t"
)

var blocks = map[string]block{
	model.KindStep:          {"what a packet costs through two gateways, step by step", packetColumns},
	model.KindUnaccelerated: {"the same without AES instructions", packetColumns},
	model.KindHandshake:     {"a handshake, both sides together", "kind\tµs\tcycles\t"},
	model.KindLibrary:       {"the same by OpenSSL", "kind\tµs\tcycles\t"},
	model.KindLookup:        {"finding a session", "sessions\tns\tcycles\t"},
	model.KindMemory:        {"memory", "sessions\tof\tbytes each\t"},
	model.KindSample:        {"loads", loadColumns},
	model.KindPrediction:    {"loads", loadColumns},
	model.KindMeasurement:   {"loads", loadColumns},
	model.KindModel:         {"the model, beside the paper's", "cost\tns\tcycles\tpaper, cycles\t"},
	model.KindFinding:       {"found, beside the paper's", "\tours\tpaper\t"},
}

// line is a row for people.
func line(r model.Row) string {
	switch r.Kind {
	case model.KindStep, model.KindUnaccelerated:
		return fmt.Sprintf("%s\t%d\t%s\t%.1f\t%.0f\t", r.Suite, r.Bytes, r.Name, r.NS, r.Cycles)
	case model.KindHandshake, model.KindLibrary:
		return fmt.Sprintf("%s\t%.0f\t%.0f\t", r.Name, r.NS/1000, r.Cycles)
	case model.KindLookup:
		return fmt.Sprintf("%d\t%.1f\t%.0f\t", r.Sessions, r.NS, r.Cycles)
	case model.KindMemory:
		return fmt.Sprintf("%d\t%s\t%.0f\t", r.Sessions, r.Name, r.Value)
	case model.KindSample, model.KindPrediction, model.KindMeasurement:
		return fmt.Sprintf("%11s\t%11d\t%12d\t%6d\t%12s\t%11s\t%8s\t", r.Kind, r.Connections, r.Packets, r.Bytes,
			orNothing(r.Predicted/1e6), orNothing(r.NS/1e6), orNothing(r.Error))
	case model.KindModel:
		return fmt.Sprintf("%s\t%.3g\t%.3g\t%s\t", named(r), r.NS, r.Cycles, orNothing(r.Paper))
	case model.KindClock:
		return fmt.Sprintf("clock %.2f %s, measured\t", r.Value, r.Unit)
	}
	return fmt.Sprintf("%s\t%.2f %s\t%s\t", r.Name, r.Value, r.Unit, orNothing(r.Paper))
}

func named(r model.Row) string {
	if r.Bytes == 0 {
		return r.Name
	}
	if r.Connections > 0 {
		return fmt.Sprintf("%s of %d bytes, %d connections", r.Name, r.Bytes, r.Connections)
	}
	return fmt.Sprintf("%s of %d bytes", r.Name, r.Bytes)
}

func orNothing(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

func (p *modelPrinter) close() error {
	if p.w == nil {
		return nil
	}
	return p.w.Flush()
}
