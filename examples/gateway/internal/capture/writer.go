package capture

import (
	"bufio"
	"errors"
	"io"
	"os"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// Format is what a capture's header says.
type Format struct {
	Link  Link
	Nanos bool   // times to the nanosecond, not to the microsecond
	Snap  uint32 // the longest frame
}

// MaxSnap is the longest frame that readers of captures take.
const MaxSnap = 1 << 18

// Writer writes a classic pcap file.
type Writer struct {
	pcap   *pcapgo.Writer
	buffer *bufio.Writer
	file   io.Closer
}

// Create makes a capture file, which nobody else may read: it may hold what was said in
// private. "-" is standard output.
func Create(path string, format Format) (*Writer, error) {
	if path == "-" {
		return NewWriter(os.Stdout, format)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(f, format)
	if err != nil {
		f.Close()
		return nil, err
	}
	w.file = f
	return w, nil
}

// NewWriter writes the header of a capture.
func NewWriter(to io.Writer, format Format) (*Writer, error) {
	buffer := bufio.NewWriterSize(to, 1<<16)
	w := &Writer{buffer: buffer, pcap: pcapgo.NewWriter(buffer)}
	if format.Nanos {
		w.pcap = pcapgo.NewWriterNanos(buffer)
	}
	return w, w.pcap.WriteFileHeader(format.Snap, layers.LinkType(format.Link))
}

// Write adds one frame, link header included.
func (w *Writer) Write(at time.Time, frame []byte) error {
	info := gopacket.CaptureInfo{Timestamp: at, CaptureLength: len(frame), Length: len(frame)}
	return w.pcap.WritePacket(info, frame)
}

// Flush hands what was written to the file, so that it ends with a whole frame.
func (w *Writer) Flush() error { return w.buffer.Flush() }

// Close flushes, and closes the file that Create made. If a write failed before, its
// error is among those returned.
func (w *Writer) Close() error {
	err := w.Flush()
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	return err
}
