package model

import "math"

// Load is traffic: so many connections, each with so many packets of so many bytes.
type Load struct{ Connections, Packets, Bytes int }

// Total is its packets together.
func (l Load) Total() int { return l.Connections * l.Packets }

// trains are those in which the packets come, each of one connection.
func (l Load) trains() float64 { return float64(l.Connections * ((l.Packets + train - 1) / train)) }

const terms = 5

// terms is what the model multiplies: one setup, connections, packets, bytes, and
// trains by the share of the connections whose state is far away.
func (l Load) terms(half float64) [terms]float64 {
	p := float64(l.Total())
	return [terms]float64{1, float64(l.Connections), p, p * float64(l.Bytes), l.trains() * far(l.Connections, half)}
}

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

// relative is the errors of the model over what was measured, one a sample.
func (m Model) relative(samples []Sample) []float64 {
	errs := make([]float64, len(samples))
	for i, s := range samples {
		errs[i] = math.Abs(m.Predict(s.Load)/s.NS - 1)
	}
	return errs
}

// PacketOf is what a packet of that many bytes costs in full trains, where there
// are so many connections.
func (m Model) PacketOf(bytes, connections int) float64 {
	return m.Packet + float64(bytes)*m.Byte + m.State*far(connections, m.Half)/train
}

// SymmetricError is the difference of two figures in percent of their mean.
func SymmetricError(predicted, measured float64) float64 {
	return 100 * math.Abs(predicted-measured) / ((predicted + measured) / 2)
}
