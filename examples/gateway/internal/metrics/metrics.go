// Package metrics serves a gateway's totals to Prometheus, and profiles.
package metrics

import (
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/tunnel"
	"github.com/sealburst/sealburst/examples/gateway/internal/vpn"
)

// Server serves metrics until it is closed.
type Server struct {
	http *http.Server
	addr net.Addr
}

// Serve serves /metrics, from what totals returns and the others collect, and
// /debug/pprof/ at an address.
func Serve(address string, totals func() vpn.Totals, others ...prometheus.Collector) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(newCollector(totals), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registry.MustRegister(others...)
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	s := &Server{&http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}, listener.Addr()}
	go func() { _ = s.http.Serve(listener) }() // ends with Close, which closes the listener
	return s, nil
}

// Addr is where the server listens.
func (s *Server) Addr() net.Addr { return s.addr }

// Close ends the server and every request.
func (s *Server) Close() error { return s.http.Close() }

// collector makes metrics of totals, each time that it is asked.
type collector struct {
	totals   func() vpn.Totals
	sessions *prometheus.Desc
	opened   *prometheus.Desc
	failed   *prometheus.Desc
	shed     *prometheus.Desc
	overrun  *prometheus.Desc
	packets  *prometheus.Desc
	bytes    *prometheus.Desc
	dropped  *prometheus.Desc
	records  *prometheus.Desc
	bursts   *prometheus.Desc
	handed   *prometheus.Desc
}

func newCollector(totals func() vpn.Totals) *collector {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("sealburst_gateway_"+name, help, labels, nil)
	}
	return &collector{
		totals:   totals,
		sessions: desc("sessions", "Tunnels that are open."),
		opened:   desc("sessions_opened_total", "Tunnels opened."),
		failed:   desc("handshakes_failed_total", "Handshakes that failed."),
		shed:     desc("handshakes_shed_total", "Handshakes refused or given up because too many ran."),
		overrun:  desc("datagrams_shed_total", "Datagrams of handshakes lost because too many came."),
		packets:  desc("packets_total", "IP packets carried; out is into tunnels.", "direction"),
		bytes:    desc("bytes_total", "Bytes of IP packets carried; out is into tunnels.", "direction"),
		dropped:  desc("packets_dropped_total", "IP packets dropped.", "direction", "cause"),
		records:  desc("records_dropped_total", "DTLS records or ESP packets dropped.", "cause"),
		bursts:   desc("engine_bursts_total", "Bursts handed to the engine.", "operation"),
		handed:   desc("engine_packets_total", "Packets in these bursts.", "operation"),
	}
}

// Describe lists the metrics.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		c.sessions, c.opened, c.failed, c.shed, c.overrun, c.packets, c.bytes, c.dropped, c.records, c.bursts, c.handed,
	} {
		to <- d
	}
}

// Collect reads the totals.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	t := c.totals()
	count := func(d *prometheus.Desc, n uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	to <- prometheus.MustNewConstMetric(c.sessions, prometheus.GaugeValue, float64(t.Sessions))
	count(c.opened, t.Opened)
	count(c.failed, t.Failed)
	count(c.shed, t.Shed)
	count(c.overrun, t.Overrun)
	for way, flow := range map[string]*tunnel.Flow{"out": &t.Out, "in": &t.In} {
		count(c.packets, flow.Packets, way)
		count(c.bytes, flow.Bytes, way)
		for cause, n := range flow.Drops {
			count(c.dropped, n, way, cause)
		}
	}
	for cause, n := range t.Drops {
		count(c.records, n, cause)
	}
	for operation, counts := range map[string]engine.Counts{"seal": t.Sealed, "open": t.Unsealed} {
		count(c.bursts, counts.Bursts, operation)
		count(c.handed, counts.Packets, operation)
	}
}
