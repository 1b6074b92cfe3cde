//go:build openssl

package model

import (
	"github.com/sealburst/sealburst/ciphers/openssl/handshake"
	"github.com/sealburst/sealburst/examples/bench/internal/pair"
)

// The handshakes of OpenSSL that the paper compares.
const (
	modular     = "DHE 2048 RSA"
	elliptic256 = "ECDHE P-256 RSA"
)

// Library measures handshakes of OpenSSL with itself, both sides together, and
// compares modular with elliptic-curve key exchange.
func Library(effort Effort) ([]Row, error) {
	var cs []pair.Contestant
	for _, k := range []struct {
		name string
		handshake.Kind
	}{
		{modular, handshake.Kind{Suite: "DHE-RSA-AES128-GCM-SHA256", Groups: "P-256", RSA: true}},
		{elliptic256, handshake.Kind{Suite: "ECDHE-RSA-AES128-GCM-SHA256", Groups: "P-256", RSA: true}},
		{"ECDHE X25519 RSA", handshake.Kind{Suite: "ECDHE-RSA-AES128-GCM-SHA256", Groups: "X25519", RSA: true}},
		{"ECDHE P-384 RSA", handshake.Kind{Suite: "ECDHE-RSA-AES128-GCM-SHA256", Groups: "P-384", RSA: true}},
		{"ECDHE P-256 ECDSA", handshake.Kind{Suite: "ECDHE-ECDSA-AES128-GCM-SHA256", Groups: "P-256"}},
	} {
		p, err := handshake.New(k.Kind)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		cs = append(cs, pair.Contestant{Name: k.name, Items: 1, Run: p.Run})
	}
	scores, err := effort.play(cs)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for i, c := range cs {
		rows = append(rows, Row{Kind: KindLibrary, Name: c.Name, NS: scores.NS(i)})
	}
	return append(rows, Row{
		Kind: KindFinding, Name: "handshake by modular over elliptic-curve key exchange, libssl",
		Value: scores.Ratio(1, 0), Unit: "times", Paper: paperModular,
	}), nil
}
