package model

import (
	"errors"
	"math"
)

// Load is traffic: so many connections, each with so many packets of so many bytes.
type Load struct{ Connections, Packets, Bytes int }

// Total is its packets together.
func (l Load) Total() int { return l.Connections * l.Packets }

// trains are those in which the packets come, each of one connection.
func (l Load) trains() float64 { return float64(l.Connections * ((l.Packets + train - 1) / train)) }

// terms is what the model multiplies: one setup, connections, packets, bytes, and
// trains by the share of the connections whose state is far away.
func (l Load) terms(half float64) [terms]float64 {
	p := float64(l.Total())
	return [terms]float64{1, float64(l.Connections), p, p * float64(l.Bytes), l.trains() * far(l.Connections, half)}
}

const terms = 5

// far is the share of the state of c connections that the near caches have lost
// when its turn comes; half of it where c is half.
func far(c int, half float64) float64 { return float64(c-1) / (float64(c-1) + half) }

// Sample is what a load took.
type Sample struct {
	Load
	NS float64
}

// Model is the costs in nanoseconds: C = Setup + c Connection + p (Packet + bytes
// Byte) + trains State (c-1) / (c-1 + Half). The last is what the paper, whose
// traffic had few connections, did not see: a train of another connection fetches
// that one's state, from the farther away the more there are.
type Model struct{ Setup, Connection, Packet, Byte, State, Half float64 }

func newModel(x [terms]float64, half float64) Model { return Model{x[0], x[1], x[2], x[3], x[4], half} }

// Predict is what a load will take.
func (m Model) Predict(l Load) float64 {
	sum := 0.0
	costs := [terms]float64{m.Setup, m.Connection, m.Packet, m.Byte, m.State}
	for i, t := range l.terms(m.Half) {
		sum += t * costs[i]
	}
	return sum
}

// PacketOf is what a packet of that many bytes costs in full trains, where there
// are so many connections.
func (m Model) PacketOf(bytes, connections int) float64 {
	return m.Packet + float64(bytes)*m.Byte + m.State*far(connections, m.Half)/train
}

// ErrSamples says that loads do not tell the costs apart.
var ErrSamples = errors.New("model: the loads do not tell the costs apart")

// Fit finds the model with the least squares of relative errors, so that small
// loads count as much as large ones. What is not linear in it, Half, is tried from
// 16 up to 16,384.
func Fit(samples []Sample) (best Model, err error) {
	least := math.Inf(1)
	for half := 16.0; half <= 1<<14; half *= 2 {
		x, err := fitLinear(samples, half)
		if err != nil {
			return Model{}, err
		}
		m := newModel(x, half)
		if sum := m.residual(samples); sum < least {
			best, least = m, sum
		}
	}
	return best, nil
}

// residual is the sum of the squares of relative errors.
func (m Model) residual(samples []Sample) (sum float64) {
	for _, s := range samples {
		e := m.Predict(s.Load)/s.NS - 1
		sum += e * e
	}
	return sum
}

// fitLinear solves the normal equations of rows over their NS. A cost is not
// negative: one that comes out so is left out, and the rest is solved again.
func fitLinear(samples []Sample, half float64) (x [terms]float64, err error) {
	var without [terms]bool
	for {
		if x, err = solve(normal(samples, half, without)); err != nil {
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
func normal(samples []Sample, half float64, without [terms]bool) (a [terms][terms + 1]float64) {
	scale := columnScale(samples, half)
	for _, s := range samples {
		row := s.terms(half)
		for i := range row {
			if row[i] /= scale[i] * s.NS; without[i] {
				row[i] = 0
			}
		}
		for i := range terms {
			for j := range terms {
				a[i][j] += row[i] * row[j]
			}
			a[i][terms] += row[i]
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

// SymmetricError is the difference of two figures in percent of their mean.
func SymmetricError(predicted, measured float64) float64 {
	return 100 * math.Abs(predicted-measured) / ((predicted + measured) / 2)
}
