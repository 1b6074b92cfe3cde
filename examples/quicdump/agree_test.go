package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/qlog"
	"github.com/quic-go/quic-go/qlogwriter"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"github.com/sealburst/sealburst/examples/quicping/frame"
)

// transfers are the kinds of connections that quicdump is compared on.
var transfers = []struct {
	name    string
	version quic.Version
	retry   bool
}{
	{"v1", quic.Version1, false}, {"v2", quic.Version2, false},
	{"v1 with Retry", quic.Version1, true}, {"v2 with Retry", quic.Version2, true},
}

// summary is what both programs say of a datagram: numbers and frame types, in order.
type summary struct{ numbers, frames []string }

// tshark 4.0 loses its way after some Retries: quic-go's log is the judge there.
func TestAgreesWithTshark(t *testing.T) {
	for _, c := range transfers {
		if c.retry {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			capture, keylog, port := transfer(t, c.version, c.retry)
			compareWithTshark(t, tsharkOf(t, capture, keylog, port), summaries(dumped(t, capture, keylog)))
		})
	}
}

// tsharkOf is what tshark says of a capture, a line a datagram: its place, numbers, frames.
func tsharkOf(t *testing.T, capture, keylog string, port int) string {
	t.Helper()
	cmd := exec.Command(peertest.Program(t, "tshark"), "-r", capture, "-o", "tls.keylog_file:"+keylog,
		"-d", fmt.Sprintf("udp.port==%d,quic", port), "-Y", "quic", "-T", "fields", "-E", "separator=;",
		"-e", "frame.number", "-e", "quic.packet_number", "-e", "quic.frame_type")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func summaries(packets []packet) map[string]*summary {
	ours := map[string]*summary{}
	for _, p := range packets {
		key := fmt.Sprint(p.Frame)
		if ours[key] == nil {
			ours[key] = &summary{}
		}
		s := ours[key]
		if p.Number != nil {
			s.numbers = append(s.numbers, fmt.Sprint(*p.Number))
		}
		for _, f := range p.Frames {
			s.frames = append(s.frames, fmt.Sprint(f.Type))
		}
	}
	return ours
}

func compareWithTshark(t *testing.T, out string, ours map[string]*summary) {
	t.Helper()
	lines := 0
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), ";")
		if len(fields) != 3 {
			t.Fatalf("tshark says %q", line)
		}
		lines++
		s := ours[fields[0]]
		if s == nil || !slices.Equal(s.numbers, split(fields[1])) || !slices.Equal(s.frames, split(fields[2])) {
			t.Fatalf("frame %s: tshark has numbers %s and frames %s, quicdump %v", fields[0], fields[1], fields[2], s)
		}
	}
	if lines != len(ours) || lines < 300 {
		t.Errorf("tshark has %d datagrams, quicdump %d", lines, len(ours))
	}
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// diary is what quic-go says that its two sides sent: a line a packet.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) trace(_ context.Context, isClient bool, _ quic.ConnectionID) qlogwriter.Trace {
	return side{d, isClient}
}

// side is one side's part of the diary.
type side struct {
	diary  *diary
	client bool
}

func (s side) AddProducer() qlogwriter.Recorder { return s }

func (s side) Close() error { return nil }

func (s side) RecordEvent(e qlogwriter.Event) {
	sent, ok := e.(qlog.PacketSent)
	if !ok || sent.Header.PacketType == qlog.PacketTypeRetry {
		return
	}
	phase := ""
	if sent.Header.KeyPhaseBit == qlog.KeyPhaseOne {
		phase = " phase"
	}
	line := fmt.Sprintf("%v %v %d%s, %d bytes", s.client, sent.Header.PacketType, sent.Header.PacketNumber, phase, sent.Raw.Length)
	for _, f := range sent.Frames {
		line += ", " + nameOf(f.Frame)
	}
	s.diary.mu.Lock()
	defer s.diary.mu.Unlock()
	s.diary.lines = append(s.diary.lines, line)
}

// nameOf is a frame in quic-go's words, with what else is compared of it.
func nameOf(f any) string {
	switch f := f.(type) {
	case *qlog.CryptoFrame:
		return fmt.Sprintf("Crypto %d+%d", f.Offset, f.Length)
	case *qlog.StreamFrame:
		return fmt.Sprintf("Stream %d %d+%d %v", f.StreamID, f.Offset, f.Length, f.Fin)
	case *qlog.AckFrame:
		name := "Ack"
		for _, r := range f.AckRanges {
			name += fmt.Sprintf(" %d-%d", r.Smallest, r.Largest)
		}
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", f), "*wire."), "Frame")
}

// ourLine is a packet as the diary has it.
func ourLine(p *packet) string {
	types := map[string]qlog.PacketType{
		"Initial": qlog.PacketTypeInitial, "Handshake": qlog.PacketTypeHandshake, "1-RTT": qlog.PacketType1RTT,
	}
	phase := ""
	if p.Phase != nil && *p.Phase%2 == 1 {
		phase = " phase"
	}
	line := fmt.Sprintf("%v %v %d%s, %d bytes", p.Client, types[p.Type], *p.Number, phase, p.Length)
	for i := range p.Frames {
		if f := &p.Frames[i]; f.Type != uint64(frame.Padding) { // which quic-go does not note
			line += ", " + ourName(f)
		}
	}
	return line
}

func ourName(f *frameEntry) string {
	switch kind := frame.Type(f.Type); {
	case kind == frame.Crypto:
		return fmt.Sprintf("Crypto %d+%d", f.Offset, f.Length)
	case kind.IsStream():
		return fmt.Sprintf("Stream %d %d+%d %v", f.ID, f.Offset, f.Length, f.Fin)
	case kind == frame.Ack || kind == frame.AckECN:
		name := "Ack"
		for _, r := range f.Ranges {
			name += fmt.Sprintf(" %d-%d", r.Low, r.High)
		}
		return name
	}
	name := ""
	for word := range strings.SplitSeq(f.Name, "_") {
		name += word[:1] + strings.ToLower(word[1:])
	}
	return strings.Replace(name, "Id", "ID", 1)
}

// quic-go's own log of what it sent, packet by packet, on versions 1 and 2.
func TestAgreesWithQuicGo(t *testing.T) {
	for _, c := range transfers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &diary{}
			config := &quic.Config{Versions: []quic.Version{c.version}, Tracer: d.trace}
			capture, keylog, _ := transferTraced(t, config, c.retry)
			var ours []string
			for _, p := range dumped(t, capture, keylog) {
				if p.Number != nil && !p.Repeated { // quic-go does not note what it sends again
					ours = append(ours, ourLine(&p))
				}
			}
			d.mu.Lock()
			theirs := slices.Clone(d.lines)
			d.mu.Unlock()
			compareWithDiary(t, ours, theirs)
		})
	}
}

// compareWithDiary wants every packet of the capture in the log, once. The log may have
// more: what a socket on the way had no room for.
func compareWithDiary(t *testing.T, ours, theirs []string) {
	t.Helper()
	slices.Sort(theirs)
	for _, line := range ours {
		at, found := slices.BinarySearch(theirs, line)
		if !found {
			t.Fatalf("quic-go did not send: %s", line)
		}
		theirs = slices.Delete(theirs, at, at+1)
	}
	if len(ours) < 300 {
		t.Errorf("only %d packets in the capture", len(ours))
	}
}
