package metrics

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/sealburst/sealburst/examples/gateway/internal/steps"
)

// Steps is a collector of what the steps of a packet take.
func Steps(times func() []steps.Time) prometheus.Collector {
	labels := []string{"direction", "step"}
	return &stepCollector{
		times:   times,
		seconds: prometheus.NewDesc("sealburst_gateway_step_seconds_total", "Time that a step of packets took.", labels, nil),
		packets: prometheus.NewDesc("sealburst_gateway_step_packets_total", "Packets that took a step.", labels, nil),
	}
}

type stepCollector struct {
	times            func() []steps.Time
	seconds, packets *prometheus.Desc
}

// Describe lists the metrics.
func (c *stepCollector) Describe(to chan<- *prometheus.Desc) {
	to <- c.seconds
	to <- c.packets
}

// Collect reads the steps.
func (c *stepCollector) Collect(to chan<- prometheus.Metric) {
	for _, t := range c.times() {
		to <- prometheus.MustNewConstMetric(c.seconds, prometheus.CounterValue, t.NS*float64(t.Packets)/1e9, t.Way, t.Step)
		to <- prometheus.MustNewConstMetric(c.packets, prometheus.CounterValue, float64(t.Packets), t.Way, t.Step)
	}
}
