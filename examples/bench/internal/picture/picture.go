// Package picture draws rows of a bench table into an SVG file: panels with one
// line for each contestant, on logarithmic axes.
package picture

import (
	"fmt"
	"image/color"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

const (
	panelWidth  = 5.4 * vg.Inch
	panelHeight = 3 * vg.Inch
	margin      = vg.Length(12) // points, round every panel
	maxColumns  = 3
	smallPrint  = vg.Length(9)
	// slack is how much wider than here a text may be where its font is missing.
	slack = 1.25
)

// Save draws the rows that the axis keeps and writes the file.
func Save(file string, rows []table.Row, x Axis) error {
	panels := split(rows, x)
	if len(panels) == 0 {
		return fmt.Errorf("picture: nothing to draw in %s", file)
	}
	columns := min(maxColumns, len(panels))
	lines := (len(panels) + columns - 1) / columns
	c := vgsvg.New(vg.Length(columns)*panelWidth, vg.Length(lines)*panelHeight)
	tiles := draw.Tiles{Rows: lines, Cols: columns, PadX: margin, PadY: margin,
		PadTop: margin, PadBottom: margin, PadLeft: margin, PadRight: margin}
	for i, p := range panels {
		if err := p.draw(tiles.At(draw.New(c), i%columns, i/columns), x); err != nil {
			return err
		}
	}
	return Write(file, c)
}

// Write writes what was drawn into a file.
func Write(file string, c *vgsvg.Canvas) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	_, err = c.WriteTo(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// draw puts the lines on the left and what they are called on the right, where it
// hides nothing.
func (p *panel) draw(c draw.Canvas, x Axis) error {
	curves, names := plot.New(), plot.NewLegend()
	names.Top, names.Left = true, true
	names.TextStyle.Font.Size = smallPrint
	names.Padding = vg.Points(3)
	curves.Add(plotter.NewGrid())
	for _, l := range p.lines {
		if err := l.add(curves, &names); err != nil {
			return err
		}
	}
	p.label(curves, x)
	width := slack*names.Rectangle(c).Size().X + margin
	curves.Draw(draw.Crop(c, 0, -width, 0, 0))
	names.Draw(draw.Crop(c, c.Max.X-c.Min.X-width+margin, 0, 0, -2*margin))
	return nil
}

// label writes titles and axes.
func (p *panel) label(curves *plot.Plot, x Axis) {
	curves.Title.Text = p.title
	curves.X.Label.Text, curves.Y.Label.Text = x.Label, x.Costs
	curves.X.Scale, curves.Y.Scale = plot.LogScale{}, plot.LogScale{}
	curves.X.Tick.Label.Font.Size, curves.Y.Tick.Label.Font.Size = smallPrint, smallPrint
	at := p.xs()
	curves.X.Tick.Marker = places(at)
	curves.X.Min, curves.X.Max = at[0], max(at[len(at)-1], 2*at[0]) // one column has width too
	curves.Y.Min, curves.Y.Max = roundDown(curves.Y.Min), roundUp(curves.Y.Max)
	curves.Y.Tick.Marker = steps(curves.Y.Min, curves.Y.Max)
}

func (l *line) add(curves *plot.Plot, names *plot.Legend) error {
	curve, points, err := plotter.NewLinePoints(l.points)
	if err != nil {
		return err
	}
	hue := colors[l.style%len(colors)]
	curve.Color, points.Color = hue, hue
	curve.Width = vg.Points(1.5)
	if l.baseline {
		curve.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	points.Shape = plotutil.Shape(l.style)
	curves.Add(curve, points)
	names.Add(l.name, curve, points)
	return nil
}

// colors are those of Okabe and Ito, which colour-blind readers tell apart.
var colors = [...]color.RGBA{
	{0, 0, 0, 255}, {0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255},
	{204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}, {140, 140, 140, 255},
}
