// Package table prints what a bench measured, for people and for machines.
package table

// Row is one figure: a backend at some work, against a baseline that alternated
// with it. A key exchange has no bytes, keys and gbps, and its row leaves them out.
type Row struct {
	Table    string  `json:"table"`
	Op       string  `json:"op"`
	Alg      string  `json:"alg"`
	Backend  string  `json:"backend"`
	Bytes    int     `json:"bytes,omitempty"` // payload of a packet; of a mix the mean
	Mix      string  `json:"mix,omitempty"`   // name of a mix of lengths, in which order
	Burst    int     `json:"burst"`           // packets or exchanges a call
	Keys     int     `json:"keys,omitempty"`  // keys that the packets are under
	Draw     string  `json:"draw,omitempty"`  // how packets choose among many keys
	NS       float64 `json:"ns"`              // a packet or exchange, median over rounds
	Gbps     float64 `json:"gbps,omitempty"`  // of payload
	Baseline string  `json:"baseline"`        // what the ratio is against
	BaseNS   float64 `json:"baseline_ns"`     // likewise, median over rounds
	Ratio    float64 `json:"ratio"`           // how many times as fast, median of the rounds' ratios
	Delta    float64 `json:"delta_ns"`        // nanoseconds a packet more, median of the rounds' differences
	Spread   float64 `json:"spread_percent"`  // distance of the quartiles of the ratio
	Rounds   int     `json:"rounds"`          // how many
	Core     int     `json:"core"`            // that measured; -1 for any
	CPU      string  `json:"cpu,omitempty"`   // the processor's name
}

// SetTime fills NS, and Gbps for packets of so many bytes.
func (r *Row) SetTime(ns, bytes float64) {
	r.NS = ns
	if ns > 0 {
		r.Gbps = 8 * bytes / ns
	}
}
