package offline

import (
	"errors"
	"fmt"
	"io"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/safile"
	"github.com/sealburst/sealburst/examples/gateway/internal/udpip"
	"github.com/sealburst/sealburst/ipsecadapter"
	"github.com/sealburst/sealburst/record"
)

// ErrNoESP says that a capture holds no ESP.
var ErrNoESP = errors.New("the capture holds no ESP packets")

// ErrNoESPOpened says that a capture held ESP packets and none of them could be opened.
var ErrNoESPOpened = errors.New("no ESP packet could be opened: the SA file is not this capture's")

// UnprotectESP reads a capture to its end and writes the packets inside the ESP packets of
// the SAs, of both directions, each under the link header and the time of the packet that
// carried it. ESP in UDP is found by its ports: NATTPort, and those that the file names.
// What was written before an error is whole.
func UnprotectESP(e *engine.Engine, file *safile.File, in *capture.Reader, out *capture.Writer) (Totals, error) {
	u := &espUnprotector{out: out, link: in.Format().Link}
	u.totals.Link = u.link.String()
	defer u.close()
	if err := u.open(e, file); err != nil {
		return u.totals, err
	}
	err := u.run(in)
	if errors.Is(err, io.EOF) {
		err = u.verdict()
	}
	return u.totals, err
}

type espUnprotector struct {
	out    *capture.Writer
	link   capture.Link
	sas    []*ipsecadapter.InboundSA
	ports  map[uint16]bool // of ESP in UDP
	totals Totals

	inIP     *ipsecadapter.Inbound
	inSocket *ipsecadapter.Inbound // datagrams that were taken out of UDP, which may have any port
	opener   *ipsecadapter.Inbound // of the burst
	burst    []record.Datagram
	frames   []capture.Frame // that each datagram came in
	scratch  []byte
}

// open makes the SAs. Those InUDP are opened as those of a socket, except in transport
// mode, where their packets' own headers are needed.
func (u *espUnprotector) open(e *engine.Engine, file *safile.File) error {
	ip, socket := ipsecadapter.NewDatabase(), ipsecadapter.NewDatabase()
	u.inIP = ipsecadapter.NewInbound(e, ip, ipsecadapter.InboundOptions{})
	u.inSocket = ipsecadapter.NewInbound(e, socket, ipsecadapter.InboundOptions{Socket: true})
	u.ports = map[uint16]bool{}
	for i := range file.SAs {
		s, db := &file.SAs[i], ip
		taken := s.UDP && s.Mode == ipsecadapter.Tunnel
		if taken {
			db = socket
			u.notePorts(s)
		}
		if err := u.add(e, db, s, taken); err != nil {
			return fmt.Errorf("SA %#x: %w", s.SPI, err)
		}
	}
	return nil
}

func (u *espUnprotector) notePorts(s *safile.SA) {
	for _, number := range []uint16{ipsecadapter.NATTPort, s.From.Port(), s.To.Port()} {
		if number != 0 {
			u.ports[number] = true
		}
	}
}

func (u *espUnprotector) add(e *engine.Engine, db *ipsecadapter.Database, s *safile.SA, taken bool) error {
	c := s.Inbound(taken)
	c.Selectors = nil // of a capture both directions are wanted, whatever they carry
	if !taken && s.From.IsValid() && s.To.IsValid() {
		c.Match = ipsecadapter.ByAddresses // each direction may have the same SPI
	}
	sa, err := ipsecadapter.NewInboundSA(e, c)
	if err != nil {
		return err
	}
	u.sas = append(u.sas, sa)
	u.totals.Suite = "ESP, " + s.Transform.String()
	return db.Add(sa)
}

func (u *espUnprotector) run(in *capture.Reader) error {
	for {
		frame, err := in.Next()
		if err != nil {
			return errors.Join(u.flush(), err)
		}
		u.totals.Frames++
		switch {
		case !frame.IP:
			u.totals.Other++
		case frame.Cut:
			u.totals.drop(record.DropTruncated)
		default:
			if err := u.take(frame); err != nil {
				return err
			}
		}
	}
}

// take adds a frame to the burst, which is of one kind.
func (u *espUnprotector) take(frame capture.Frame) error {
	opener, content := u.inIP, frame.Packet()
	if datagram, ok := udpip.Parse(content); ok && (u.ports[datagram.From.Port()] || u.ports[datagram.To.Port()]) {
		opener, content = u.inSocket, datagram.Payload
	}
	if opener != u.opener || len(u.burst) == port.MaxBurst {
		if err := u.flush(); err != nil {
			return err
		}
	}
	u.opener = opener
	u.burst = append(u.burst, record.Datagram{Buf: content, Len: len(content)})
	u.frames = append(u.frames, frame)
	return nil
}

// flush opens the burst and writes what was in it.
func (u *espUnprotector) flush() error {
	if len(u.burst) == 0 {
		return nil
	}
	u.opener.Unprotect(u.burst, nil)
	for i := range u.burst {
		if err := u.settle(&u.frames[i], &u.burst[i]); err != nil {
			return err
		}
	}
	u.burst, u.frames = u.burst[:0], u.frames[:0]
	return nil
}

func (u *espUnprotector) settle(frame *capture.Frame, d *record.Datagram) error {
	switch d.Drop {
	case record.DropNone:
		u.totals.Packets++
		u.totals.Bytes += uint64(d.Len)
		u.scratch = under(u.scratch, u.link, frame, d.Content())
		return u.out.Write(frame.Time, u.scratch)
	case record.DropIKE, record.DropKeepalive, record.DropDummy:
		u.totals.Session++
	case record.DropType:
		u.totals.Other++
	default:
		u.totals.drop(d.Drop)
	}
	return nil
}

// verdict is the error of a capture that was read to its end.
func (u *espUnprotector) verdict() error {
	switch {
	case u.totals.Packets > 0:
		return nil
	case u.totals.dropped.Dropped() > 0:
		return ErrNoESPOpened
	}
	return ErrNoESP
}

func (u *espUnprotector) close() {
	for _, sa := range u.sas {
		sa.Close()
	}
}
