package pcap

import (
	"errors"

	"github.com/sealburst/sealburst/record"
)

// Port joins a Source and a Sink: packets come from one capture and go to another.
type Port struct {
	Source *Source
	Sink   *Sink
}

// Receive takes packets of the Source.
func (p *Port) Receive(burst []record.Datagram) (int, error) { return p.Source.Receive(burst) }

// Send writes packets to the Sink.
func (p *Port) Send(burst []record.Datagram) (int, error) { return p.Sink.Send(burst) }

// Close closes both captures.
func (p *Port) Close() error { return errors.Join(p.Source.Close(), p.Sink.Close()) }
