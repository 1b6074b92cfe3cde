package picture

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Bars is a panel of horizontal bars, in groups with a label each.
type Bars struct {
	Title  string
	Costs  string      // what the axis counts
	Names  []string    // of the bars of a group
	Labels []string    // of the groups, from the top
	Values [][]float64 // by group and bar; zero where there is none
}

const barHeight = vg.Length(6)

// SaveBars draws the panels, two in a line, and writes the file.
func SaveBars(file string, panels []Bars) error {
	if len(panels) == 0 || len(panels[0].Labels) == 0 {
		return fmt.Errorf("picture: nothing to draw in %s", file)
	}
	columns := min(2, len(panels))
	lines := (len(panels) + columns - 1) / columns
	height := vg.Length(len(panels[0].Labels)*(len(panels[0].Names)+1))*barHeight + vg.Inch
	c := vgsvg.New(vg.Length(columns)*panelWidth, vg.Length(lines)*height)
	tiles := draw.Tiles{Rows: lines, Cols: columns, PadX: margin, PadY: margin,
		PadTop: margin, PadBottom: margin, PadLeft: margin, PadRight: margin}
	for i := range panels {
		if err := panels[i].draw(tiles.At(draw.New(c), i%columns, i/columns)); err != nil {
			return err
		}
	}
	return Write(file, c)
}

func (b *Bars) draw(c draw.Canvas) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = b.Title, b.Costs
	p.X.Min = 0
	p.X.Tick.Label.Font.Size, p.Y.Tick.Label.Font.Size = smallPrint, smallPrint
	p.Legend.TextStyle.Font.Size = smallPrint
	p.Legend.Top = true
	for i, name := range b.Names {
		bars, err := plotter.NewBarChart(b.column(i), barHeight)
		if err != nil {
			return err
		}
		bars.Horizontal = true
		bars.Color = color.Color(colors[1+i%(len(colors)-1)])
		bars.LineStyle.Width = 0
		bars.Offset = barHeight * vg.Length(len(b.Names)-1-2*i) / 2
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	p.NominalY(b.upwards()...)
	p.Draw(c)
	return nil
}

// column is the i-th bar of every group, from the bottom up, as the axis counts.
func (b *Bars) column(i int) plotter.Values {
	v := make(plotter.Values, len(b.Values))
	for g := range b.Values {
		v[len(v)-1-g] = b.Values[g][i]
	}
	return v
}

func (b *Bars) upwards() []string {
	labels := make([]string, len(b.Labels))
	for g, label := range b.Labels {
		labels[len(labels)-1-g] = label
	}
	return labels
}
