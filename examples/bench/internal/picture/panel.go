package picture

import (
	"slices"

	"gonum.org/v1/plot/plotter"

	"github.com/sealburst/sealburst/examples/bench/internal/table"
)

// Axis is what a table varies, and what is drawn over it.
type Axis struct {
	Label string
	Costs string // what the points' height is, with its unit
	Of    func(table.Row) float64
	// Points gives a panel's title and what a row adds to it. A row that differs
	// from those drawn in more than the axis gives no points.
	Points func(table.Row) (title string, points []Point)
}

// Point is a place on the line of that name.
type Point struct {
	Name     string
	Cost     float64
	Baseline bool // drawn dashed
}

// Compared is a row's baseline, one packet or exchange a call, and its backend.
func Compared(r table.Row) []Point {
	return []Point{{r.Baseline + ", one a call", r.BaseNS, true}, {r.Backend, r.NS, false}}
}

// panel is the lines that have one title.
type panel struct {
	title string
	lines []*line
}

type line struct {
	name     string
	baseline bool
	style    int // the same for that name in every panel
	points   plotter.XYs
}

// split sorts rows into panels and lines.
func split(rows []table.Row, x Axis) (panels []*panel) {
	var names []string
	for _, r := range rows {
		title, points := x.Points(r)
		for _, pt := range points {
			style := slices.Index(names, pt.Name)
			if style < 0 {
				style = len(names)
				names = append(names, pt.Name)
			}
			panelOf(&panels, title).add(pt, style, x.Of(r))
		}
	}
	return panels
}

func panelOf(panels *[]*panel, title string) *panel {
	for _, p := range *panels {
		if p.title == title {
			return p
		}
	}
	p := &panel{title: title}
	*panels = append(*panels, p)
	return p
}

func (p *panel) add(pt Point, style int, at float64) {
	i := slices.IndexFunc(p.lines, func(l *line) bool { return l.name == pt.Name })
	if i < 0 {
		i = len(p.lines)
		p.lines = append(p.lines, &line{name: pt.Name, baseline: pt.Baseline, style: style})
	}
	l := p.lines[i]
	if n := len(l.points); n > 0 && l.points[n-1].X == at {
		return // a baseline comes once for each backend
	}
	l.points = append(l.points, plotter.XY{X: at, Y: pt.Cost})
}

// xs are the places that have a point.
func (p *panel) xs() (at []float64) {
	for _, l := range p.lines {
		for _, xy := range l.points {
			at = append(at, xy.X)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}
