package demo

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/record"
)

// Row is what one kind of traffic gave.
type Row struct {
	Traffic string  `json:"traffic"`
	Packets uint64  `json:"packets"` // through both gateways, all rounds
	Bytes   uint64  `json:"bytes"`   // of IP packets
	Seconds float64 `json:"seconds"`
	Mpps    float64 `json:"mpps"` // million packets a second through both gateways on this machine
	Gbps    float64 `json:"gbps"`
	Comparison
}

// Report is the outcome of the demonstration.
type Report struct {
	Suite      string            `json:"suite"`
	Backend    string            `json:"backend"`
	Why        string            `json:"why"`                    // the backend was taken
	Handshake  float64           `json:"handshake_ms,omitempty"` // 0 for a protocol whose keys are made by hand
	Rows       []Row             `json:"rows"`
	Verdict    Verdict           `json:"verdict"`
	Sealed     float64           `json:"mean_burst_seal"` // packets that reached the engine together
	Opened     float64           `json:"mean_burst_open"`
	Drops      map[string]uint64 `json:"drops"`
	EngineInfo engine.Report     `json:"engine"`
}

// Good reports whether every packet came out as it went in. Drops alone spoil
// nothing: a handshake on a slow machine repeats itself, and its copies are dropped.
func (r *Report) Good() bool { return r.Verdict.Sent > 0 && r.Verdict.Good() }

// Print writes the report for people.
func (r *Report) Print(to io.Writer) {
	fmt.Fprintf(to, "\nsuite      %s\nbackend    %s (%s)\n", r.Suite, r.Backend, r.Why)
	if r.Handshake > 0 {
		fmt.Fprintf(to, "handshake  %.1f ms\n", r.Handshake)
	}
	fmt.Fprintln(to)
	r.printRows(to)
	r.printLegend(to)
	fmt.Fprintf(to, "mean burst at the engine: sealing %.1f, opening %.1f packets\n", r.Sealed, r.Opened)
	v := &r.Verdict
	fmt.Fprintf(to, "compared byte for byte: %d packets sent, %d the same, %d different, %d missing\n", v.Sent, v.Same, v.Differ, v.Missing)
	r.printDrops(to)
}

const legend = `
Mpkt/s and Gbit/s: the whole way, from one gateway's plain side to the other's. Beside sealing and opening that
holds the handing over between goroutines, copies, and the comparison of every packet.
seal and open ns: the engine alone, a packet, framing included. std: the same with one cipher.AEAD call a
packet of Go's library. ratio: how many times as fast the engine is, the median of the ratios in each round; it
need not be the quotient of the two medians beside it.
`

// printLegend says what the columns are.
func (r *Report) printLegend(to io.Writer) {
	fmt.Fprint(to, legend)
	if len(r.Rows) > 0 && r.Rows[0].Std == nil {
		fmt.Fprintln(to, "-: Go's library has no cipher.AEAD for this suite to compare with.")
	}
}

func (r *Report) printRows(to io.Writer) {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "traffic\tpackets\tbytes\tMpkt/s\tGbit/s\tseal ns\tstd\tratio\topen ns\tstd\tratio\t")
	for i := range r.Rows {
		row := &r.Rows[i]
		fmt.Fprintf(w, "%s\t%d\t%d\t%.2f\t%.2f\t", row.Traffic, row.Packets, row.Bytes, row.Mpps, row.Gbps)
		if row.Std == nil {
			fmt.Fprintf(w, "%.0f\t-\t-\t%.0f\t-\t-\t\n", row.Engine.Seal, row.Engine.Open)
			continue
		}
		fmt.Fprintf(w, "%.0f\t%.0f\t%.2f\t%.0f\t%.0f\t%.2f\t\n",
			row.Engine.Seal, row.Std.Seal, row.SealRatio, row.Engine.Open, row.Std.Open, row.OpenRatio)
	}
	w.Flush()
}

func (r *Report) printDrops(to io.Writer) {
	if len(r.Drops) == 0 {
		fmt.Fprintln(to, "dropped: none")
		return
	}
	for cause := record.DropNone + 1; int(cause) < record.NumDrops; cause++ {
		if n := r.Drops[cause.String()]; n > 0 {
			fmt.Fprintf(to, "dropped: %d %v\n", n, cause)
		}
	}
}

// describe fills in what the engine and the tunnel know.
func (r *Report) describe(e *engine.Engine, p *pair) {
	r.EngineInfo = e.Report()
	alg := busiest(r.EngineInfo.Stats.Calls)
	for _, a := range r.EngineInfo.Algorithms {
		if a.Algorithm == alg {
			r.Backend, r.Why = a.Algorithm+" on "+a.Backend, a.Why
		}
	}
	p.tell(r)
}

// addDrops adds what the gateways dropped beside the drops of a tunnel.
func (r *Report) addDrops(ofTunnel map[string]uint64, gateways ...*tunnel.Counters) {
	r.Drops = ofTunnel
	for _, g := range gateways {
		for _, way := range []*tunnel.Way{&g.Out, &g.In} {
			for cause, n := range way.Flow().Drops {
				r.Drops[cause] += n
			}
		}
	}
}

// busiest is the algorithm that most packets went through: that of the session.
func busiest(calls []engine.Calls) (algorithm string) {
	most := uint64(0)
	for _, c := range calls {
		if c.Packets > most {
			algorithm, most = c.Algorithm, c.Packets
		}
	}
	return algorithm
}
