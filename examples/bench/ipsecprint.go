package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/sealburst/sealburst/examples/bench/internal/lan"
	"github.com/sealburst/sealburst/examples/bench/internal/picture"
)

var trialTitles = map[lan.Trial]string{
	lan.TCPReceive: "TCP receive test", lan.TCPSend: "TCP send test",
	lan.TCPEcho: "TCP echo test", lan.UDPEcho: "UDP echo test, datagrams of 1400 bytes",
}

// printTest prints the rows of one test.
func printTest(w io.Writer, rows []ipsecRow) error {
	fmt.Fprintf(w, "%s\n", trialTitles[rows[0].Test])
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "AH\tESP auth\tESP cipher\tkByte/s\tof no IPsec\tCHIP-RTOS kByte/s\tof no IPsec\t")
	for i := range rows {
		r := &rows[i]
		chip := "\t\t"
		if r.ChipRate != nil {
			chip = fmt.Sprintf("%.1f\t%s\t", *r.ChipRate, percent(*r.ChipFraction))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.0f\t%s\t%s\n", r.AH, r.Auth, r.Cipher, r.Rate, percent(r.Fraction), chip)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

func percent(fraction float64) string { return fmt.Sprintf("%.1f %%", 100*fraction) }

// ipsecBars draws what is left of the rate without IPsec, for each test.
func ipsecBars(rows []ipsecRow) []picture.Bars {
	var all []picture.Bars
	for i := range rows {
		r := &rows[i]
		if len(all) == 0 || all[len(all)-1].Title != trialTitles[r.Test] {
			all = append(all, picture.Bars{Title: trialTitles[r.Test], Costs: "of no IPsec, percent", Names: []string{"here", "@CHIP-RTOS"}})
		}
		if r.Cipher == noIPsec {
			continue
		}
		chip := 0.0
		if r.ChipFraction != nil {
			chip = 100 * *r.ChipFraction
		}
		b := &all[len(all)-1]
		b.Labels = append(b.Labels, label(&r.protection))
		b.Values = append(b.Values, []float64{100 * r.Fraction, chip})
	}
	return all
}

// label names a row in few words.
func label(p *protection) string {
	text := p.Cipher
	if p.Auth != none {
		text += " " + p.Auth
	}
	if p.AH != none {
		text += ", AH " + p.AH
	}
	return text
}
