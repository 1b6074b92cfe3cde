package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/ipsecadapter"
)

// saCommand shows an SA file.
type saCommand struct {
	File      string `arg:"" name:"FILE" help:"An SA file."`
	Wireshark bool   `help:"Print the SAs, keys included, as lines of Wireshark's esp_sa file."`
}

// Run prints what the file holds: without -wireshark, not the keys.
func (c *saCommand) Run(env *environment) error {
	file, err := safile.Read(c.File)
	if err != nil {
		return err
	}
	if c.Wireshark {
		return printWireshark(env, file)
	}
	if env.json {
		return json.NewEncoder(env.stdout).Encode(rows(file))
	}
	w := tabwriter.NewWriter(env.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "way\tpeer\tSPI\ttransform\tmode\tencap\tesn\tfrom\tto\tbehind")
	for _, r := range rows(file) {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Way, r.Peer, r.SPI, r.Transform, r.Mode, r.Encap, yes(r.ESN), r.From, r.To, r.Behind)
	}
	return w.Flush()
}

func printWireshark(env *environment, file *safile.File) error {
	lines, err := file.WiresharkBytes()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(file.SAs, func(s safile.SA) bool { return s.ESN }) {
		fmt.Fprintln(env.stderr, "gateway: Wireshark 4.0 does not know extended sequence numbers (esn=yes): it decrypts, but calls every ICV bad")
	}
	_, err = env.stdout.Write(lines)
	return err
}

// saRow is an SA without its key.
type saRow struct {
	Way       string `json:"way"`
	Peer      string `json:"peer"`
	SPI       string `json:"spi"`
	Transform string `json:"transform"`
	Mode      string `json:"mode"`
	Encap     string `json:"encap"` // "udp", or "none"
	ESN       bool   `json:"esn"`
	From      string `json:"from"`
	To        string `json:"to"`
	Behind    string `json:"behind"`
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func rows(file *safile.File) (all []saRow) {
	for i := range file.SAs {
		s := &file.SAs[i]
		r := saRow{
			Way: "in", Peer: s.Peer, SPI: fmt.Sprintf("%#08x", s.SPI), Transform: s.Transform.String(),
			Mode: "tunnel", Encap: "none", ESN: s.ESN, From: "any", To: "any", Behind: "nothing",
		}
		if s.Mode == ipsecadapter.Transport {
			r.Mode = "transport"
		}
		if s.UDP {
			r.Encap = "udp"
		}
		if s.Out {
			r.Way = "out"
		}
		if s.From.IsValid() {
			r.From = s.From.Addr().String()
		}
		if s.To.IsValid() {
			r.To = s.To.Addr().String()
		}
		if len(s.Behind) > 0 {
			r.Behind = fmt.Sprint(s.Behind)
		}
		all = append(all, r)
	}
	return all
}
