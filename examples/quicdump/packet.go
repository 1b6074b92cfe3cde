package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/sealburst/sealburst/examples/quicping/frame"
	"github.com/sealburst/sealburst/quicadapter"
	"github.com/sealburst/sealburst/record"
)

// packet is one packet of the capture, as it is printed.
type packet struct {
	Frame       int          `json:"frame"` // of the capture
	Time        time.Time    `json:"time"`
	From        string       `json:"from"`
	To          string       `json:"to"`
	Client      bool         `json:"from_client"`
	Type        string       `json:"type"`
	Version     string       `json:"version,omitempty"`
	Destination string       `json:"dcid"`
	Source      string       `json:"scid,omitempty"`
	Number      *uint64      `json:"number,omitempty"`
	Phase       *uint64      `json:"phase,omitempty"`    // 1-RTT: key updates so far
	Repeated    bool         `json:"repeated,omitempty"` // it is in the capture for the second time or more
	Greased     bool         `json:"greased,omitempty"`  // the fixed bit is 0 (RFC 9287)
	Length      int          `json:"length"`
	Frames      []frameEntry `json:"frames,omitempty"`
	Error       string       `json:"error,omitempty"`

	kind quicadapter.Type
}

// frameEntry is a frame in a packet. Fields that the frame does not have are left out.
type frameEntry struct {
	Type   uint64        `json:"type"`
	Name   string        `json:"name"`
	ID     uint64        `json:"id,omitempty"`
	Offset uint64        `json:"offset,omitempty"`
	Length int           `json:"length,omitempty"`
	Fin    bool          `json:"fin,omitempty"`
	Code   uint64        `json:"code,omitempty"`
	Value  uint64        `json:"value,omitempty"`
	Ranges []frame.Range `json:"ranges,omitempty"`
}

func newPacket(g *datagram, fromClient bool) *packet {
	return &packet{Frame: g.frame, Time: g.at.UTC(), From: g.from.String(), To: g.to.String(), Client: fromClient}
}

// describe takes over what stands in the header, and the number where it is known.
func (p *packet) describe(found *quicadapter.Packet) {
	p.kind, p.Type = found.Type, found.Type.String()
	p.Destination, p.Source = fmt.Sprintf("%x", found.Destination), fmt.Sprintf("%x", found.Source)
	if found.Version != 0 {
		p.Version = fmt.Sprintf("%#08x", uint32(found.Version))
	}
	if p.Length == 0 {
		p.Length = found.Len
	}
	p.Greased = found.Greased
	if found.Drop == record.DropNone && found.Type.HasKeys() {
		number, phase := found.Number, found.Phase
		p.Number = &number
		p.Length = found.Size()
		if found.Type == quicadapter.OneRTT {
			p.Phase = &phase
		}
	}
}

// repeat describes an authentic packet whose number came before, which is the same packet
// again: a closed connection answers with the packet that closed it.
func (p *packet) repeat(first *packet) {
	p.Repeated, p.Number, p.Phase, p.Length, p.Frames = true, first.Number, first.Phase, first.Length, first.Frames
}

func (p *packet) add(f *frame.Frame) {
	p.Frames = append(p.Frames, frameEntry{
		Type: uint64(f.Type), Name: f.Type.String(), ID: f.ID, Offset: f.Offset, Length: len(f.Data), Fin: f.Fin,
		Code: f.Code, Value: f.Value, Ranges: f.Ranges,
	})
}

// String is the packet as a line.
func (p *packet) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %s > %s %s", p.Frame, p.Time.Format("15:04:05.000000"), p.From, p.To, p.Type)
	if p.Number != nil {
		fmt.Fprintf(&b, " %d", *p.Number)
	}
	if p.Phase != nil {
		fmt.Fprintf(&b, " phase %d", *p.Phase)
	}
	fmt.Fprintf(&b, " (%d bytes)", p.Length)
	if p.Repeated {
		b.WriteString(" again:")
	}
	for i := range p.Frames {
		b.WriteString(" " + p.Frames[i].String())
	}
	if p.Error != "" {
		b.WriteString(" NOT OPENED: " + p.Error)
	}
	return b.String()
}

// String is the frame's name with what matters most of it.
func (f *frameEntry) String() string {
	switch t := frame.Type(f.Type); {
	case t.IsStream():
		fin := ""
		if f.Fin {
			fin = ",fin"
		}
		return fmt.Sprintf("%s[%d,%d+%d%s]", f.Name, f.ID, f.Offset, f.Length, fin)
	case t == frame.Crypto:
		return fmt.Sprintf("%s[%d+%d]", f.Name, f.Offset, f.Length)
	case t == frame.Ack || t == frame.AckECN:
		var ranges []string
		for _, r := range f.Ranges {
			ranges = append(ranges, fmt.Sprintf("%d-%d", r.Low, r.High))
		}
		return f.Name + "[" + strings.Join(ranges, ",") + "]"
	case t == frame.ConnectionClose || t == frame.ApplicationClose:
		return fmt.Sprintf("%s[%#x]", f.Name, f.Code)
	case t == frame.Padding:
		return fmt.Sprintf("%s[%d]", f.Name, f.Value)
	case f.Value != 0:
		return fmt.Sprintf("%s[%d]", f.Name, f.Value)
	}
	return f.Name
}
