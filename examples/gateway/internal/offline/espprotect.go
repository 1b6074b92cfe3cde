package offline

import (
	"errors"
	"io"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// ProtectESP reads a capture to its end and writes the ESP packets that two gateways would
// exchange for it, under the SAs of FreshSAs, whose keys must have protected nothing before.
// Whoever speaks first is behind the gateway that the file is of. Every frame keeps its
// link header and its time. What was written before an error is whole.
func ProtectESP(e *engine.Engine, file *safile.File, in *capture.Reader, out *capture.Writer) (Totals, error) {
	p := &espProtector{in: in, out: out, link: in.Format().Link, sides: sides{}, burst: port.NewBurst(port.MaxBurst, maxIPPacket)}
	p.totals.Link = p.link.String()
	p.totals.Suite = "ESP, " + file.SAs[0].Transform.String()
	defer p.close()
	for i := range p.sas {
		var err error
		if p.sas[i], err = ipsecadapter.NewOutboundSA(e, file.SAs[i].Outbound(false)); err != nil {
			return p.totals, err
		}
	}
	p.sealer = ipsecadapter.NewOutbound(e)
	err := p.run()
	switch {
	case !errors.Is(err, io.EOF):
		return p.totals, err
	case p.totals.Packets == 0 && p.totals.dropped.Dropped() == 0:
		return p.totals, ErrNoPackets
	}
	return p.totals, nil
}

// maxIPPacket is the length of the longest IP packet.
const maxIPPacket = 1<<16 - 1 + 40

type espProtector struct {
	in     *capture.Reader
	out    *capture.Writer
	link   capture.Link
	sides  sides
	sas    [2]*ipsecadapter.OutboundSA // by the side that sends
	sealer *ipsecadapter.Outbound
	totals Totals

	burst   []record.Datagram
	frames  []capture.Frame // that each datagram came in
	by      []*ipsecadapter.OutboundSA
	scratch []byte
}

func (p *espProtector) run() error {
	for {
		frame, err := p.in.Next()
		if err != nil {
			return errors.Join(p.flush(), err)
		}
		p.totals.Frames++
		switch {
		case !frame.IP:
			p.totals.Other++
		case frame.Cut:
			p.totals.drop(record.DropTruncated)
		default:
			p.take(frame)
		}
		if len(p.frames) == len(p.burst) {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
}

func (p *espProtector) take(frame capture.Frame) {
	port.Put(&p.burst[len(p.frames)], frame.Packet())
	p.by = append(p.by, p.sas[p.sides.of(frame.Packet())])
	p.frames = append(p.frames, frame)
}

// flush seals the burst and writes it.
func (p *espProtector) flush() error {
	burst := p.burst[:len(p.frames)]
	p.sealer.Protect(burst, p.by)
	for i := range burst {
		if burst[i].Drop != record.DropNone {
			p.totals.drop(burst[i].Drop)
			continue
		}
		p.totals.Packets++
		p.totals.Bytes += uint64(len(p.frames[i].Packet()))
		p.scratch = under(p.scratch, p.link, &p.frames[i], burst[i].Content())
		if err := p.out.Write(p.frames[i].Time, p.scratch); err != nil {
			return err
		}
	}
	p.frames, p.by = p.frames[:0], p.by[:0]
	return nil
}

// under puts a packet behind the link header of a frame, which then announces its version.
func under(scratch []byte, link capture.Link, frame *capture.Frame, packet []byte) []byte {
	scratch = append(append(scratch[:0], frame.Link()...), packet...)
	if len(packet) > 0 {
		link.SetVersion(scratch[:frame.Header], int(packet[0]>>4))
	}
	return scratch
}

func (p *espProtector) close() {
	for _, sa := range p.sas {
		if sa != nil {
			sa.Close()
		}
	}
}
