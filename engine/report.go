package engine

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/sealburst/sealburst/ciphers"
)

// Report says which backend serves what, why, what was refused, and how full
// the bursts were. Its String is a table; it marshals to JSON.
type Report struct {
	CPU        []string          `json:"cpu"`
	Backends   []string          `json:"backends"`
	Algorithms []AlgorithmReport `json:"algorithms"`
	Devices    []DeviceReport    `json:"devices,omitempty"`
	Stats      Stats             `json:"stats"`
}

// AlgorithmReport is one algorithm's part of a Report.
type AlgorithmReport struct {
	Algorithm string    `json:"algorithm"`
	Legacy    bool      `json:"legacy,omitempty"`   // served by leave of Config.AllowLegacy
	Backend   string    `json:"backend"`            // serves bursts
	Priority  int       `json:"priority"`           // of Backend for the algorithm; a constant of the backend's
	Lone      string    `json:"lone,omitempty"`     // serves bursts of up to LoneMax packets
	LoneMax   int       `json:"lone_max,omitempty"` // a constant of the backend's
	Why       string    `json:"why"`                // "best available" or the pin's source
	KeyBytes  int       `json:"key_bytes"`          // memory of a key, less what a library keeps for itself
	Refused   []Refusal `json:"refused,omitempty"`  // better backends that were not taken
	MeanEntry float64   `json:"mean_entry"`         // packets an entry into the implementation, all operations
}

// Refusal is a backend that was not taken.
type Refusal struct {
	Backend string `json:"backend"`
	Reason  string `json:"reason"`
}

// Report describes the engine as it is now.
func (e *Engine) Report() Report {
	r := Report{CPU: e.features.usable.Names(), Backends: e.names(), Devices: e.devices(), Stats: e.Stats()}
	for _, alg := range ciphers.Algorithms() {
		if e.Supports(alg) {
			r.Algorithms = append(r.Algorithms, e.reportOn(alg, r.Stats.Calls))
		}
	}
	return r
}

func (e *Engine) reportOn(alg Algorithm, calls []Calls) AlgorithmReport {
	c := &e.choices[alg]
	a := AlgorithmReport{
		Algorithm: alg.String(), Legacy: alg.IsLegacy(), Backend: c.bulk, Priority: c.priority, Lone: c.lone, LoneMax: e.exchange.plans[alg].loneMax, Why: "best available",
	}
	if plan := e.plans[alg]; plan != nil {
		a.LoneMax, a.KeyBytes = plan.LoneMax, plan.KeySize()
	}
	if c.pinned != "" {
		a.Why = "pinned by " + c.pinned
	}
	for _, r := range c.refused {
		a.Refused = append(a.Refused, Refusal{r.backend, r.reason.Error()})
	}
	var packets, entries uint64
	for _, call := range calls {
		if call.Algorithm == a.Algorithm {
			packets += call.Packets
			entries += call.Entries
		}
	}
	a.MeanEntry = mean(packets, entries)
	return a
}

// String is the report as a table for people.
func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "processor: %s\nbackends:  %s\n\n", strings.Join(r.CPU, " "), strings.Join(r.Backends, " "))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "algorithm\tbackend\tpriority\tlone packets\tkey bytes\tpackets an entry\twhy")
	for _, a := range r.Algorithms {
		lone := "-"
		if a.Lone != "" {
			lone = fmt.Sprintf("%s up to %d", a.Lone, a.LoneMax)
		}
		why := a.Why
		if a.Legacy {
			why += ", legacy"
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%d\t%.1f\t%s\n", a.Algorithm, a.Backend, a.Priority, lone, a.KeyBytes, a.MeanEntry, why)
	}
	w.Flush()
	for _, a := range r.Algorithms {
		for _, f := range a.Refused {
			fmt.Fprintf(&b, "%s: %s refused: %s\n", a.Algorithm, f.Backend, f.Reason)
		}
	}
	for _, d := range r.Devices {
		fmt.Fprintln(&b, d)
	}
	fmt.Fprintf(&b, "mean burst: seal %.1f, open %.1f, mask %.1f, exchange %.1f\n",
		r.Stats.Seal.MeanBurst(), r.Stats.Open.MeanBurst(), r.Stats.Mask.MeanBurst(), r.Stats.Exchange.MeanBurst())
	return b.String()
}
