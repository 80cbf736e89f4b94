package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"example.com/rawwatch/test/bench/measure"
)

// Plot is one drawing.
type Plot struct {
	Name   string // of its file
	Figure string
	draw   func() (*plot.Plot, error)
}

// Plots are the drawings of a suite: each figure over the axis or, without one,
// the first figure of each case as bars.
func Plots(s measure.Suite, results []measure.Result) (plots []Plot) {
	figures := s.Figures[:min(1, len(s.Figures))]
	drawing := columns
	if s.Axis != "" {
		figures, drawing = s.Figures, lines
	}
	for i, figure := range figures {
		if !drawable(figure, results) {
			continue
		}
		plots = append(plots, Plot{
			Name:   fmt.Sprintf("%s-%d.svg", s.Name, i+1),
			Figure: figure,
			draw:   func() (*plot.Plot, error) { return drawing(s, figure, results) },
		})
	}
	return plots
}

// drawable reports whether there is anything but zeros, which have no place on a
// logarithmic scale.
func drawable(figure string, results []measure.Result) bool {
	for _, r := range results {
		for _, c := range r.Contenders {
			if figures := c.Figures[figure]; len(figures) > 0 && measure.SpreadOf(figures).Median > 0 {
				return true
			}
		}
	}
	return false
}

// SVG returns the drawing.
func (p Plot) SVG() ([]byte, error) {
	drawing, err := p.draw()
	if err != nil {
		return nil, fmt.Errorf("report: %s: %w", p.Name, err)
	}
	canvas := vgsvg.New(18*vg.Centimeter, 10*vg.Centimeter)
	drawing.Draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("report: %s: %w", p.Name, err)
	}
	return b.Bytes(), nil
}

func titled(s measure.Suite, figure string) *plot.Plot {
	p := plot.New()
	p.Title.Text = s.Title
	p.Y.Label.Text = figure
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.TextStyle.Font.Size = 9
	p.Legend.Padding, p.Title.Padding = vg.Points(3), vg.Points(6)
	return p
}

// lines draws medians over the axis, both on a logarithmic scale if they can be: what is
// linear is a straight line there, and what is flat is level.
func lines(s measure.Suite, figure string, results []measure.Result) (*plot.Plot, error) {
	p := titled(s, figure)
	p.X.Label.Text = s.Axis
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	// An axis that begins at 0 is drawn as it is.
	logarithmic := !slices.ContainsFunc(results, func(r measure.Result) bool { return r.Size <= 0 })
	if logarithmic {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	for i, name := range contenders(results) {
		var points plotter.XYs
		for _, r := range results {
			if figures := r.Of(name, figure); len(figures) > 0 {
				if median := measure.SpreadOf(figures).Median; median > 0 { // nothing else has a logarithm
					points = append(points, plotter.XY{X: r.Size, Y: median})
				}
			}
		}
		if len(points) == 0 {
			continue
		}
		line, marks, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, line.Width = plotutil.Color(i), vg.Points(1.5)
		marks.Color, marks.Shape = plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, marks)
		p.Legend.Add(name, line, marks)
	}
	// The least and the most of the data would lie on the frame, and a scale
	// from one number to itself has no ticks.
	if logarithmic {
		p.X.Min, p.X.Max = p.X.Min/1.3, p.X.Max*1.3
	}
	p.Y.Min, p.Y.Max = p.Y.Min/1.5, p.Y.Max*4
	return p, nil
}

// columns draws medians as bars, a group for each case.
func columns(s measure.Suite, figure string, results []measure.Result) (*plot.Plot, error) {
	p := titled(s, figure)
	names := contenders(results)
	width := vg.Points(360 / float64(len(results)*(len(names)+1)))
	most := 0.0
	for i, name := range names {
		values := make(plotter.Values, len(results))
		for j, r := range results {
			if figures := r.Of(name, figure); len(figures) > 0 {
				values[j] = measure.SpreadOf(figures).Median
				most = max(most, values[j])
			}
		}
		bars, err := plotter.NewBarChart(values, width)
		if err != nil {
			return nil, err
		}
		bars.Color, bars.LineStyle.Width = plotutil.Color(i), 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(names)-1)/2)
		p.Add(bars)
		p.Legend.Add(name, bars)
	}
	p.Y.Min, p.Y.Max = 0, most*1.4 // room for the legend
	labels := make([]string, len(results))
	for i, r := range results {
		if labels[i] = r.Name; labels[i] == "" {
			labels[i] = strconv.Itoa(i + 1)
		}
	}
	p.NominalX(labels...)
	return p, nil
}
