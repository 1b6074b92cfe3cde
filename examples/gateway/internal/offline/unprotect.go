package offline

import (
	"errors"
	"fmt"
	"io"

	"github.com/sealburst/sealburst/dtlsadapter"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/udpip"
	"github.com/sealburst/sealburst/record"
)

// ErrNothingOpened says that a capture held records and none of them could be opened.
var ErrNothingOpened = errors.New("no record could be opened: the key log is not this capture's, or the handshake is missing from it")

// ErrNoRecords says that a capture holds no DTLS application data.
var ErrNoRecords = errors.New("the capture holds no DTLS records")

// Unprotect reads a capture to its end and writes the packets inside its DTLS 1.2
// sessions, each under the link header and the time of the datagram that carried
// it. Sessions whose handshake is in the capture and whose secret is among secrets
// are opened; records of others are counted. What was written before an error is whole.
func Unprotect(e *engine.Engine, secrets Secrets, in *capture.Reader, out *capture.Writer) (Totals, error) {
	u := &unprotector{
		out: out, link: in.Format().Link, sessions: sessions{engine: e, secrets: secrets, all: map[path]*session{}},
	}
	u.totals.Link = in.Format().Link.String()
	defer u.sessions.close()
	err := u.run(in)
	if errors.Is(err, io.EOF) {
		err = u.verdict()
	}
	return u.totals, err
}

type unprotector struct {
	out      *capture.Writer
	link     capture.Link
	sessions sessions
	totals   Totals

	opener  *dtlsadapter.Inbound // of the records in burst
	burst   []record.Datagram
	frames  []capture.Frame // that each record of burst came in
	scratch []byte
}

func (u *unprotector) run(in *capture.Reader) error {
	for {
		frame, err := in.Next()
		if err != nil {
			if failed := u.flush(); failed != nil {
				return failed
			}
			return err
		}
		u.totals.Frames++
		if err := u.take(&frame); err != nil {
			return err
		}
	}
}

func (u *unprotector) take(frame *capture.Frame) error {
	datagram, ok := udpip.Parse(frame.Packet())
	if !frame.IP || !ok {
		u.totals.Other++
		return nil
	}
	s := u.sessions.of(&datagram)
	data, about := 0, 0
	for _, rec := range dtlsadapter.Split(nil, record.Datagram{Buf: datagram.Payload, Len: len(datagram.Payload)}) {
		if rec.Drop == record.DropNone && rec.Content()[0] == typeApplicationData {
			data++
			if err := u.queue(s.opener(&datagram), rec, frame); err != nil {
				return err
			}
			continue
		}
		if rec.Drop == record.DropNone {
			about++
		}
		// A hello may end the session whose records are waiting.
		if err := errors.Join(u.flush(), s.note(rec.Content(), &datagram)); err != nil {
			return err
		}
	}
	switch {
	case data > 0:
	case about > 0:
		u.totals.Session++
	default:
		u.totals.Other++
	}
	return nil
}

// queue adds a record to the burst, which is of one direction of one session.
func (u *unprotector) queue(opener *dtlsadapter.Inbound, rec record.Datagram, frame *capture.Frame) error {
	if opener == nil {
		u.totals.drop(record.DropUnknownSession)
		return nil
	}
	if opener != u.opener || len(u.burst) == port.MaxBurst {
		if err := u.flush(); err != nil {
			return err
		}
	}
	u.opener = opener
	u.burst = append(u.burst, rec)
	u.frames = append(u.frames, *frame)
	return nil
}

// flush opens the burst and writes what was in it.
func (u *unprotector) flush() error {
	if len(u.burst) == 0 {
		return nil
	}
	u.opener.Unprotect(u.burst)
	for i := range u.burst {
		d := &u.burst[i]
		if d.Drop != record.DropNone {
			u.totals.drop(d.Drop)
			continue
		}
		if err := u.write(&u.frames[i], d.Content()); err != nil {
			return fmt.Errorf("cannot write: %w", err)
		}
	}
	u.burst, u.frames = u.burst[:0], u.frames[:0]
	return nil
}

func (u *unprotector) write(frame *capture.Frame, packet []byte) error {
	u.totals.Packets++
	u.totals.Bytes += uint64(len(packet))
	u.scratch = under(u.scratch, u.link, frame, packet)
	return u.out.Write(frame.Time, u.scratch)
}

// verdict is the error of a capture that was read to its end.
func (u *unprotector) verdict() error {
	switch {
	case u.totals.Packets > 0:
		u.totals.Suite = u.sessions.suite
		return nil
	case u.totals.dropped.Dropped() > 0:
		return ErrNothingOpened
	}
	return ErrNoRecords
}
