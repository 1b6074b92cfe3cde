// Package model measures what a connection costs: the steps of a packet, the
// handshakes, what memory and look-ups come to with many sessions, and a model,
// C = setup + c connections + p packets + their bytes, which it fits to some loads
// and checks on others; see Model. The figures of the paper that it follows, "DTLS
// Performance: How Expensive is Security?" (arXiv 1904.11423), stand beside.
package model

// Row is one figure. Fields that a kind of row has no use for are left out.
type Row struct {
	Table       string  `json:"table"` // always "model"
	Kind        string  `json:"kind"`
	Name        string  `json:"name"`
	Suite       string  `json:"suite,omitempty"`
	Bytes       int     `json:"bytes,omitempty"`       // payload of a packet
	Sessions    int     `json:"sessions,omitempty"`    // that there are
	Connections int     `json:"connections,omitempty"` // of a load
	Packets     int     `json:"packets,omitempty"`     // of a load, a connection
	NS          float64 `json:"ns,omitempty"`          // processor time, of one or of a load
	Cycles      float64 `json:"cycles,omitempty"`      // NS by the clock measured
	Predicted   float64 `json:"predicted_ns,omitempty"`
	Error       float64 `json:"error_percent,omitempty"` // symmetric: of the mean of prediction and measurement
	Value       float64 `json:"value,omitempty"`         // what is no time: a ratio, bytes, GHz
	Unit        string  `json:"unit,omitempty"`          // of Value
	Paper       float64 `json:"paper,omitempty"`         // the paper's figure, in cycles or in Unit
}

// The kinds of rows.
const (
	KindClock         = "clock"
	KindStep          = "step"
	KindUnaccelerated = "unaccelerated"
	KindHandshake     = "handshake"
	KindLibrary       = "libssl"
	KindLookup        = "look-up"
	KindMemory        = "memory"
	KindSample        = "fitted"
	KindPrediction    = "prediction"
	KindMeasurement   = "measurement"
	KindModel         = "model"
	KindFinding       = "finding"
)

// The paper's figures: its cost model in cycles, and its findings.
const (
	paperSetup          = 5761437
	paperConnection     = 2326558
	paperPacket         = 6323
	paperConnectionOver = 368  // a connection over a packet
	paperModular        = 4    // modular key exchange over elliptic-curve
	paperDearest        = 2    // the dearest suite over the cheapest, without acceleration
	paperChaCha         = 0.50 // that ChaCha20-Poly1305 saves over AES then, at most
)
