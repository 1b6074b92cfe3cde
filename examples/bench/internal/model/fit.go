package model

import (
	"errors"
	"math"

	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

// ErrSamples says that loads do not tell the costs apart.
var ErrSamples = errors.New("model: the loads do not tell the costs apart")

// Fit finds the model with the least squares of relative errors, so that small
// loads count as much as large ones, and samples far off the others count less.
// What is not linear in it, Half, is tried from 16 up to 16,384.
func Fit(samples []Sample) (best Model, err error) {
	least := math.Inf(1)
	for half := 16.0; half <= 1<<14; half *= 2 {
		m, err := fitRobust(samples, half)
		if err != nil {
			return Model{}, err
		}
		sum := 0.0
		for _, e := range m.relative(samples) {
			sum += e
		}
		if sum < least {
			best, least = m, sum
		}
	}
	return best, nil
}

// Huber's estimate: errors of more than tuning of their standard deviation, as the
// median error of normal noise tells it, count linearly and no longer in the
// square. Reweighted least squares come to it within some steps.
const (
	tuning    = 1.345
	deviation = 1.4826
	reweighs  = 30
)

// fitRobust fits what is linear in the model.
func fitRobust(samples []Sample, half float64) (m Model, err error) {
	weights := make([]float64, len(samples))
	for i := range weights {
		weights[i] = 1
	}
	for range reweighs {
		x, err := fitLinear(samples, weights, half)
		if err != nil {
			return Model{}, err
		}
		m = newModel(x, half)
		errs := m.relative(samples)
		bound := tuning * deviation * pair.Median(errs)
		for i, e := range errs {
			weights[i] = 1
			if e > bound {
				weights[i] = bound / e
			}
		}
		if bound < exact {
			break
		}
	}
	return m, nil
}

// exact is an error that is none but of arithmetic. Where half the samples have
// no more, the weights of the others would vanish.
const exact = 1e-9

// fitLinear solves the normal equations of rows over their NS. A cost is not
// negative: one that comes out so is left out, and the rest is solved again.
func fitLinear(samples []Sample, weights []float64, half float64) (x [terms]float64, err error) {
	var without [terms]bool
	for {
		if x, err = solve(normal(samples, weights, half, without)); err != nil {
			return x, err
		}
		worst := 0
		for i := range x {
			if x[i] < x[worst] {
				worst = i
			}
		}
		if x[worst] >= 0 {
			break
		}
		without[worst] = true
	}
	scale := columnScale(samples, half)
	for i := range x {
		x[i] /= scale[i]
	}
	return x, nil
}

// normal are the normal equations, in which what is left out is zero.
func normal(samples []Sample, weights []float64, half float64, without [terms]bool) (a [terms][terms + 1]float64) {
	scale := columnScale(samples, half)
	for k, s := range samples {
		row := s.terms(half)
		for i := range row {
			if row[i] /= scale[i] * s.NS; without[i] {
				row[i] = 0
			}
		}
		for i := range terms {
			for j := range terms {
				a[i][j] += weights[k] * row[i] * row[j]
			}
			a[i][terms] += weights[k] * row[i]
		}
	}
	for i := range terms {
		if without[i] {
			a[i][i] = 1
		}
	}
	return a
}

// columnScale makes the largest entry of each column 1.
func columnScale(samples []Sample, half float64) (scale [terms]float64) {
	for _, s := range samples {
		for i, t := range s.terms(half) {
			scale[i] = max(scale[i], t/s.NS)
		}
	}
	return scale
}

// solve is Gauss's elimination with the largest pivot.
func solve(a [terms][terms + 1]float64) (x [terms]float64, err error) {
	for i := range terms {
		for k := i + 1; k < terms; k++ {
			if math.Abs(a[k][i]) > math.Abs(a[i][i]) {
				a[i], a[k] = a[k], a[i]
			}
		}
		if !(math.Abs(a[i][i]) > 1e-12) {
			return x, ErrSamples
		}
		for k := i + 1; k < terms; k++ {
			f := a[k][i] / a[i][i]
			for j := i; j <= terms; j++ {
				a[k][j] -= f * a[i][j]
			}
		}
	}
	for i := terms - 1; i >= 0; i-- {
		x[i] = a[i][terms]
		for j := i + 1; j < terms; j++ {
			x[i] -= a[i][j] * x[j]
		}
		x[i] /= a[i][i]
	}
	return x, nil
}
