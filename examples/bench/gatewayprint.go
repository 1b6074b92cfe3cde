package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
)

// gatewayPrinter prints the rows of bench gateway.
type gatewayPrinter struct {
	json *json.Encoder // nil for people
	text *tabwriter.Writer
}

func newGatewayPrinter(w io.Writer, asJSON bool) *gatewayPrinter {
	if asJSON {
		return &gatewayPrinter{json: json.NewEncoder(w)}
	}
	p := &gatewayPrinter{text: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	fmt.Fprintln(p.text, "bytes\tprogram\tns a packet\tMpps a core\tGbit/s\tratio")
	return p
}

func (p *gatewayPrinter) print(rows []gatewayRow) error {
	for _, r := range rows {
		if p.json != nil {
			if err := p.json.Encode(r); err != nil {
				return err
			}
			continue
		}
		ratio := ""
		if r.To != "" {
			ratio = fmt.Sprintf("%.2f times %s", r.Ratio, r.To)
		}
		fmt.Fprintf(p.text, "%d\t%s\t%.1f\t%.2f\t%.1f\t%s\n", r.Bytes, r.Program, r.NS, r.Mpps, r.Gbps, ratio)
	}
	return nil
}

func (p *gatewayPrinter) close() error {
	if p.text == nil {
		return nil
	}
	return p.text.Flush()
}
