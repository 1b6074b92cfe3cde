package capture_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
)

const recorded = "../../testdata/traffic.pcap"

func readAll(t *testing.T, from io.Reader) (frames []capture.Frame, err error) {
	t.Helper()
	r, err := capture.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	for {
		f, err := r.Next()
		if err != nil {
			return frames, err
		}
		frames = append(frames, f)
	}
}

// TestFramesAreGopackets compares link headers and IP packets with what gopacket's
// own decoder finds.
func TestFramesAreGopackets(t *testing.T) {
	pcap, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := readAll(t, bytes.NewReader(pcap))
	if err != io.EOF || len(frames) == 0 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	for i, f := range frames {
		p := gopacket.NewPacket(f.Data, layers.LinkTypeEthernet, gopacket.Default)
		link, network := p.LinkLayer(), p.NetworkLayer()
		if link == nil || network == nil {
			t.Fatalf("frame %d: gopacket finds no IP", i)
		}
		if !f.IP || f.Cut || !bytes.Equal(f.Link(), link.LayerContents()) {
			t.Fatalf("frame %d: link header % x, want % x", i, f.Link(), link.LayerContents())
		}
		if !bytes.HasPrefix(f.Packet(), network.LayerContents()) {
			t.Fatalf("frame %d: the packet does not start with its IP header", i)
		}
	}
}

func TestCopyIsTheSameFile(t *testing.T) {
	pcap, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	r, err := capture.NewReader(bytes.NewReader(pcap))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "copy.pcap")
	w, err := capture.Create(path, r.Format())
	if err != nil {
		t.Fatal(err)
	}
	for {
		f, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(f.Time, f.Data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, pcap) {
		t.Fatalf("the copy differs (%v)", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		t.Errorf("others may read the copy: %v, %v", info.Mode(), err)
	}
}

func TestTruncatedAnywhere(t *testing.T) {
	pcap, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	whole, _ := readAll(t, bytes.NewReader(pcap[:2000]))
	for n := 24; n < 2000; n++ {
		frames, err := readAll(t, bytes.NewReader(pcap[:n]))
		if len(frames) > len(whole) {
			t.Fatalf("%d bytes: %d frames", n, len(frames))
		}
		end := 24
		for i, f := range frames {
			if !bytes.Equal(f.Data, whole[i].Data) {
				t.Fatalf("%d bytes: frame %d differs", n, i)
			}
			end += 16 + len(f.Data)
		}
		if n == end && err != io.EOF || n != end && !errors.Is(err, capture.ErrTruncated) {
			t.Fatalf("%d bytes, of which %d are whole frames: %v", n, end, err)
		}
	}
	for n := range 24 {
		if _, err := capture.NewReader(bytes.NewReader(pcap[:n])); !errors.Is(err, capture.ErrFormat) {
			t.Fatalf("%d bytes: %v, want ErrFormat", n, err)
		}
	}
}

func header(t *testing.T, link capture.Link) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.Format{Link: link, Snap: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return &b
}

func TestForeignLinkTypeIsNamed(t *testing.T) {
	for _, link := range []capture.Link{105, 147, 189, 0xffff} {
		_, err := capture.NewReader(header(t, link))
		var refused *capture.LinkError
		if !errors.As(err, &refused) || refused.Link != link {
			t.Errorf("link type %d: %v, want a LinkError", link, err)
		}
	}
}

func TestPcapNG(t *testing.T) {
	var b bytes.Buffer
	w, err := pcapgo.NewNgWriter(&b, layers.LinkTypeRaw)
	if err != nil {
		t.Fatal(err)
	}
	packet := []byte{0x45, 0, 0, 4, 1, 2, 3}
	at := time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC)
	info := gopacket.CaptureInfo{Timestamp: at, CaptureLength: len(packet), Length: len(packet)}
	if err := errors.Join(w.WritePacket(info, packet), w.Flush()); err != nil {
		t.Fatal(err)
	}
	for n := b.Len() - 1; n > b.Len()-8; n-- {
		if frames, err := readAll(t, bytes.NewReader(b.Bytes()[:n])); len(frames) > 1 || err == nil {
			t.Errorf("%d of %d bytes: %d frames, %v", n, b.Len(), len(frames), err)
		}
	}
	frames, err := readAll(t, &b)
	if err != io.EOF || len(frames) != 1 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	if f := frames[0]; !f.IP || !bytes.Equal(f.Packet(), packet) || !f.Time.Equal(at) {
		t.Errorf("got %+v", f)
	}
}

func TestCutFrameSaysSo(t *testing.T) {
	b := header(t, capture.Raw)
	w := pcapgo.NewWriter(b)
	if err := w.WritePacket(gopacket.CaptureInfo{CaptureLength: 3, Length: 60}, []byte{0x45, 0, 0}); err != nil {
		t.Fatal(err)
	}
	frames, err := readAll(t, b)
	if err != io.EOF || len(frames) != 1 || !frames[0].Cut {
		t.Fatalf("%+v, %v", frames, err)
	}
}

func FuzzReader(f *testing.F) {
	pcap, err := os.ReadFile(recorded)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(pcap[:400])
	f.Add([]byte("\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\x1c\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := capture.NewReader(bytes.NewReader(file))
		if err != nil {
			return
		}
		for range 100 {
			frame, err := r.Next()
			if err != nil {
				return
			}
			if frame.Header > len(frame.Data) || frame.IP && len(frame.Packet()) == 0 {
				t.Fatalf("header of %d bytes in a frame of %d", frame.Header, len(frame.Data))
			}
		}
	})
}
