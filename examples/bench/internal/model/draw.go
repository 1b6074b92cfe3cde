package model

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/sealburst/sealburst/examples/bench/internal/picture"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	panelWidth  = 5.4 * vg.Inch
	panelHeight = 3.6 * vg.Inch
	margin      = vg.Length(12)
	smallPrint  = vg.Length(9)
)

// Draw writes a picture of a study: what a packet costs, its share of the
// connection and the setup included, against the packets of a connection; and
// what was measured against what was predicted.
func Draw(file string, o *Outcome) error {
	c := vgsvg.New(2*panelWidth, panelHeight)
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: margin, PadTop: margin, PadBottom: margin, PadLeft: margin, PadRight: margin}
	for i, panel := range []func(*Outcome) (*plot.Plot, error){costPanel, checkPanel} {
		p, err := panel(o)
		if err != nil {
			return err
		}
		p.Draw(tiles.At(draw.New(c), i, 0))
	}
	return picture.Write(file, c)
}

// logarithmic makes an empty panel.
func logarithmic(title, x, y string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Left, p.Legend.Padding = true, vg.Points(3)
	p.Legend.TextStyle.Font.Size = smallPrint
	p.Add(plotter.NewGrid())
	return p
}

// costPanel draws the model's line for some payloads, and every load at its place.
func costPanel(o *Outcome) (*plot.Plot, error) {
	p := logarithmic("what a packet costs with its share of the connection", "packets a connection", "ns a packet")
	for i, bytes := range []int{64, 256, 1450} {
		var line plotter.XYs
		for packets := 1; packets <= 1_000_000; packets *= 10 {
			cost := o.Model.Connection/float64(packets) + o.Model.PacketOf(bytes, 1)
			line = append(line, plotter.XY{X: float64(packets), Y: cost})
		}
		if err := addLine(p, fmt.Sprintf("%d bytes", bytes), line, hues[i]); err != nil {
			return nil, err
		}
	}
	var points plotter.XYs
	for _, c := range o.Checks {
		share := (c.NS - o.Model.Setup) / float64(c.Total())
		if share > 0 {
			points = append(points, plotter.XY{X: float64(c.Packets), Y: share})
		}
	}
	return p, addPoints(p, "loads measured", points)
}

// checkPanel draws measurement over prediction, and where they would be equal.
func checkPanel(o *Outcome) (*plot.Plot, error) {
	title := fmt.Sprintf("loads that were not fitted: error %.1f %%", o.SMAPE())
	p := logarithmic(title, "predicted, ms", "measured, ms")
	var points plotter.XYs
	for _, c := range o.Checks {
		points = append(points, plotter.XY{X: c.Predicted / 1e6, Y: c.NS / 1e6})
	}
	by := func(a, b plotter.XY) int { return int(a.X*1e3) - int(b.X*1e3) }
	least, most := slices.MinFunc(points, by).X, slices.MaxFunc(points, by).X
	if err := addLine(p, "equal", plotter.XYs{{X: least, Y: least}, {X: most, Y: most}}, hues[0]); err != nil {
		return nil, err
	}
	p.Legend.Top = true
	return p, addPoints(p, "loads", points)
}

// positive are the points that a logarithmic panel can show.
func positive(xys plotter.XYs) plotter.XYs {
	return slices.DeleteFunc(xys, func(p plotter.XY) bool { return p.X <= 0 || p.Y <= 0 })
}

func addLine(p *plot.Plot, name string, xys plotter.XYs, hue color.Color) error {
	l, err := plotter.NewLine(positive(xys))
	if err != nil {
		return err
	}
	l.Color, l.Width = hue, vg.Points(1.5)
	p.Add(l)
	p.Legend.Add(name, l)
	return nil
}

func addPoints(p *plot.Plot, name string, xys plotter.XYs) error {
	s, err := plotter.NewScatter(positive(xys))
	if err != nil {
		return err
	}
	s.Color, s.Shape, s.Radius = hues[3], draw.CircleGlyph{}, vg.Points(3)
	p.Add(s)
	p.Legend.Add(name, s)
	return nil
}

// hues are four of those of Okabe and Ito, which colour-blind readers tell apart.
var hues = [...]color.RGBA{{0, 0, 0, 255}, {0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}}
