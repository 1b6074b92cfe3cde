// Package capture reads packet captures, classic pcap and pcapng, finds the IP
// packets in them, and writes classic pcap.
package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// ErrTruncated says that a capture ends within a packet. What was read before is good.
var ErrTruncated = errors.New("capture: the file is truncated")

// ErrFormat says that a file is no capture, or a damaged one.
var ErrFormat = errors.New("capture: not a pcap or pcapng file, or damaged")

// Frame is one captured frame.
type Frame struct {
	Time   time.Time
	Data   []byte // link header and all that follows
	Header int    // length of the link header
	IP     bool   // an IP packet follows the link header
	Cut    bool   // the capture holds less of it than was on the wire
}

// Packet is what follows the link header.
func (f *Frame) Packet() []byte { return f.Data[f.Header:] }

// Link is the frame's link header.
func (f *Frame) Link() []byte { return f.Data[:f.Header] }

// Reader reads a capture frame by frame.
type Reader struct {
	source source
	file   io.Closer
	format Format
	count  int
}

// source is what pcapgo's two readers share.
type source interface {
	ReadPacketData() ([]byte, gopacket.CaptureInfo, error)
	LinkType() layers.LinkType
	Resolution() gopacket.TimestampResolution
}

// Open opens a capture file; "-" is standard input. Close closes it.
func Open(path string) (*Reader, error) {
	if path == "-" {
		return NewReader(os.Stdin)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := NewReader(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r.file = f
	return r, nil
}

var ngMagic = []byte{0x0a, 0x0d, 0x0d, 0x0a}

// NewReader reads the capture's header. It fails with ErrFormat for what is no
// capture and with a *LinkError for a link type without IP.
func NewReader(from io.Reader) (*Reader, error) {
	buffered := bufio.NewReaderSize(from, 1<<16)
	src, err := newSource(buffered)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	link, err := known(uint32(src.LinkType()))
	if err != nil {
		return nil, err
	}
	format := Format{Link: link, Nanos: src.Resolution() == gopacket.TimestampResolutionNanosecond, Snap: MaxSnap}
	if classic, ok := src.(*pcapgo.Reader); ok && classic.Snaplen() > 0 {
		format.Snap = min(classic.Snaplen(), MaxSnap)
	}
	return &Reader{source: src, format: format}, nil
}

func newSource(from *bufio.Reader) (source, error) {
	magic, err := from.Peek(len(ngMagic))
	if err != nil {
		return nil, errors.New("shorter than a header")
	}
	if bytes.Equal(magic, ngMagic) {
		return pcapgo.NewNgReader(from, pcapgo.NgReaderOptions{ErrorOnMismatchingLinkType: true})
	}
	return pcapgo.NewReader(from)
}

// Format is what the capture's header says. A pcapng file has no limit of its own
// for the length of frames: Snap is MaxSnap.
func (r *Reader) Format() Format { return r.format }

// Next reads a frame, whose bytes are the caller's to keep. It fails with
// io.EOF after the last one, ErrTruncated in the middle of one, and ErrFormat
// where the file makes no sense.
func (r *Reader) Next() (Frame, error) {
	data, info, err := r.source.ReadPacketData()
	switch {
	case errors.Is(err, io.EOF) && info.CaptureLength == 0:
		return Frame{}, err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF): // behind a frame's header, or within it
		return Frame{}, fmt.Errorf("%w after %d frames", ErrTruncated, r.count)
	case err != nil:
		return Frame{}, fmt.Errorf("%w after %d frames: %w", ErrFormat, r.count, err)
	}
	r.count++
	f := Frame{Time: info.Timestamp, Data: data, Cut: info.CaptureLength < info.Length}
	f.Header, f.IP = r.format.Link.Header(data)
	if !f.IP {
		f.Header = 0
	}
	return f, nil
}

// Close closes the file that Open opened.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
