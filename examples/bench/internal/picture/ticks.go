package picture

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// nearest is how close two labels of the horizontal axis may be, as a part of it.
const nearest = 0.17

// places marks every place of a logarithmic axis, and labels the ends and those
// between that have room.
func places(at []float64) plot.ConstantTicks {
	marks := make(plot.ConstantTicks, len(at))
	last := len(at) - 1
	whole := math.Log(at[last] / at[0])
	labelled := 0
	for i, v := range at {
		marks[i].Value = v
		room := math.Log(v/at[labelled]) >= nearest*whole && math.Log(at[last]/v) >= nearest*whole
		if i == 0 || i == last || room {
			marks[i].Label, labelled = number(v), i
		}
	}
	return marks
}

// apart keeps labels off the axis, should the reader's font be wider.
const apart = "  "

// mostSteps is how many labels of the vertical axis have room.
const mostSteps = 9

// steps marks 1, 2 and 5 of every power of ten between two of these, and labels
// the ends, and all or as few of the others as have room.
func steps(low, high float64) (marks plot.ConstantTicks) {
	for v := low; v < high*1.01; v = roundUp(v * 1.01) {
		marks = append(marks, plot.Tick{Value: v, Label: number(v) + apart})
	}
	if len(marks) <= mostSteps {
		return marks
	}
	for i := 1; i < len(marks)-1; i++ {
		near := i == 1 || i == len(marks)-2
		if mantissa, _ := split10(marks[i].Value); near || math.Abs(mantissa-1) > 0.01 {
			marks[i].Label = ""
		}
	}
	return marks
}

// split10 is v as a number from 1 up to 10, and a power of ten.
func split10(v float64) (mantissa, power float64) {
	power = math.Pow(10, math.Floor(math.Log10(v)+1e-9))
	return v / power, power
}

// roundUp is the next 1, 2 or 5 of a power of ten, v itself included.
func roundUp(v float64) float64 {
	mantissa, power := split10(v)
	for _, step := range []float64{1, 2, 5} {
		if mantissa <= step*(1+1e-9) {
			return step * power
		}
	}
	return 10 * power
}

// roundDown is the one before. It is never more than v.
func roundDown(v float64) float64 {
	mantissa, power := split10(v)
	for _, step := range []float64{5, 2} {
		if mantissa >= step*(1-1e-9) {
			return step * power
		}
	}
	return power
}

func number(v float64) string {
	if v >= 1e6 {
		return strconv.FormatFloat(v/1e6, 'g', 4, 64) + " M"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
