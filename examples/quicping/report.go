package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/sealburst/sealburst/examples/quicping/internal/probe"
	"github.com/sealburst/sealburst/quicadapter"
)

// printer shows a probe to people.
type printer struct {
	w        io.Writer
	verified bool
	v2       bool // was asked for
}

func versionName(v quicadapter.Version) string {
	if v == quicadapter.Version2 {
		return "QUIC v2"
	}
	return "QUIC v1"
}

func (p *printer) session(s *probe.Session) {
	retry := ""
	if s.Retried {
		retry = ", after a Retry"
	}
	alpn := s.TLS.NegotiatedProtocol
	if alpn == "" {
		alpn = "none"
	}
	fmt.Fprintf(p.w, "%s: %s, %s, %s, ALPN %s, handshake %.3f ms%s\n", s.Remote, versionName(s.Version),
		tls.CipherSuiteName(s.TLS.CipherSuite), s.TLS.CurveID, alpn, ms(s.Handshake), retry)
	if p.v2 && s.Version != quicadapter.Version2 {
		fmt.Fprintln(p.w, "the server does not speak QUIC v2: it was asked again with QUIC v1")
	}
	if certs := s.TLS.PeerCertificates; len(certs) > 0 {
		trust := "verified"
		if !p.verified {
			trust = "NOT verified"
		}
		fmt.Fprintf(p.w, "certificate: %q, issued by %q, until %s, %s\n", certs[0].Subject.String(),
			certs[0].Issuer.String(), certs[0].NotAfter.UTC().Format(time.DateOnly), trust)
	}
}

func (p *printer) reply(r probe.Ping) {
	if r.Lost {
		fmt.Fprintf(p.w, "seq=%d packet=%d lost\n", r.Sequence, r.Number)
		return
	}
	fmt.Fprintf(p.w, "seq=%d packet=%d phase=%d/%d time=%.3f ms\n", r.Sequence, r.Number, r.Phase, r.Answered, ms(r.Time))
}

func (p *printer) summary(r *probe.Result) {
	if r.Session == nil {
		return
	}
	s := statistics(r.Pings)
	fmt.Fprintf(p.w, "%d pings, %d answered, %d%% lost, %d key updates\n", s.Sent, s.Received, s.LossPercent, r.Updates)
	if s.Received > 0 {
		fmt.Fprintf(p.w, "rtt min/avg/max/mdev = %.3f/%.3f/%.3f/%.3f ms\n", s.Min, s.Mean, s.Max, s.Deviation)
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// stats are of the pings that were answered, in milliseconds.
type stats struct {
	Sent        int     `json:"sent"`
	Received    int     `json:"received"`
	LossPercent int     `json:"loss_pct"`
	Min         float64 `json:"min_ms"`
	Mean        float64 `json:"avg_ms"`
	Max         float64 `json:"max_ms"`
	Deviation   float64 `json:"mdev_ms"`
}

func statistics(pings []probe.Ping) (s stats) {
	s.Sent = len(pings)
	var squares float64
	for _, p := range pings {
		if p.Lost {
			continue
		}
		t := ms(p.Time)
		if s.Received == 0 || t < s.Min {
			s.Min = t
		}
		s.Received++
		s.Max = max(s.Max, t)
		s.Mean += t
		squares += t * t
	}
	if s.Received > 0 {
		s.Mean /= float64(s.Received)
		s.Deviation = math.Sqrt(max(0, squares/float64(s.Received)-s.Mean*s.Mean))
	}
	if s.Sent > 0 {
		s.LossPercent = 100 * (s.Sent - s.Received) / s.Sent
	}
	return s
}

// document is what -json prints. The session's fields are there once the handshake is
// complete.
type document struct {
	Host        string            `json:"host"`
	Error       string            `json:"error,omitempty"`
	Remote      string            `json:"remote,omitempty"`
	Version     string            `json:"version,omitempty"`
	Suite       string            `json:"suite,omitempty"`
	Group       string            `json:"group,omitempty"`
	ALPN        string            `json:"alpn,omitempty"`
	Retried     bool              `json:"retried"`
	HandshakeMS float64           `json:"handshake_ms,omitempty"`
	Subject     string            `json:"certificate_subject,omitempty"`
	Issuer      string            `json:"certificate_issuer,omitempty"`
	NotAfter    string            `json:"certificate_not_after,omitempty"`
	Verified    bool              `json:"certificate_verified"`
	Pings       []pingRow         `json:"pings"`
	Stats       stats             `json:"statistics"`
	Updates     uint64            `json:"key_updates"`
	Resent      int               `json:"packets_lost"`
	Dropped     map[string]uint64 `json:"packets_dropped,omitempty"`
	Burst       float64           `json:"mean_burst"`
}

type pingRow struct {
	Sequence int     `json:"seq"`
	Number   uint64  `json:"packet"`
	Lost     bool    `json:"lost"`
	TimeMS   float64 `json:"time_ms"`
	Phase    uint64  `json:"phase"`
	Answered uint64  `json:"reply_phase"`
}

// writeJSON prints the document and returns the probe's error, or its own.
func writeJSON(w io.Writer, o *options, r *probe.Result, failed error) error {
	d := document{Host: o.address, Pings: []pingRow{}, Stats: statistics(r.Pings), Updates: r.Updates,
		Resent: r.Resent, Dropped: r.Dropped, Burst: r.Burst}
	if failed != nil {
		d.Error = failed.Error()
	}
	for _, p := range r.Pings {
		d.Pings = append(d.Pings, pingRow{p.Sequence, p.Number, p.Lost, ms(p.Time), p.Phase, p.Answered})
	}
	if r.Session != nil {
		d.describe(r.Session, !o.insecure)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		return err
	}
	return failed
}

func (d *document) describe(s *probe.Session, verified bool) {
	d.Remote, d.Version, d.Retried = s.Remote, versionName(s.Version), s.Retried
	d.Suite, d.Group = tls.CipherSuiteName(s.TLS.CipherSuite), s.TLS.CurveID.String()
	d.ALPN, d.HandshakeMS, d.Verified = s.TLS.NegotiatedProtocol, ms(s.Handshake), verified
	if certs := s.TLS.PeerCertificates; len(certs) > 0 {
		d.Subject, d.Issuer = certs[0].Subject.String(), certs[0].Issuer.String()
		d.NotAfter = certs[0].NotAfter.UTC().Format(time.RFC3339)
	}
}
