package safile

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"github.com/sealburst/sealburst/ipsecadapter"
)

// Create writes a file that did not exist, for its owner's eyes alone. Where the disk has
// no room for all of it, it leaves nothing.
func (f *File) Create(path string) error {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(f.Bytes())
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Bytes is the file as Parse reads it.
func (f *File) Bytes() []byte {
	var b bytes.Buffer
	if f.Capture {
		b.WriteString("capture\n")
	}
	if f.Inside.IsValid() || f.MTU != 0 {
		b.WriteString("inside")
		if f.Inside.IsValid() {
			fmt.Fprintf(&b, " address=%v", f.Inside)
		}
		if f.MTU != 0 {
			fmt.Fprintf(&b, " mtu=%d", f.MTU)
		}
		b.WriteByte('\n')
	}
	for i := range f.SAs {
		f.SAs[i].write(&b)
	}
	return b.Bytes()
}

// WiresharkBytes are the lines of Wireshark's esp_sa file for all SAs.
func (f *File) WiresharkBytes() ([]byte, error) {
	var b bytes.Buffer
	for i := range f.SAs {
		lines, err := f.SAs[i].Wireshark()
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			fmt.Fprintln(&b, line)
		}
	}
	return b.Bytes(), nil
}

func (s *SA) write(b *bytes.Buffer) {
	direction := "in "
	if s.Out {
		direction = "out"
	}
	fmt.Fprintf(b, "%s peer=%s spi=%#08x transform=%v key=%s", direction, s.Peer, s.SPI, s.Transform, hex.EncodeToString(s.Key))
	if s.Mode == ipsecadapter.Transport {
		b.WriteString(" mode=transport")
	}
	if s.UDP {
		b.WriteString(" encap=udp")
	}
	writeEnd(b, "from", s.From)
	writeEnd(b, "to", s.To)
	s.writeOptions(b)
	b.WriteByte('\n')
}

func (s *SA) writeOptions(b *bytes.Buffer) {
	if len(s.Behind) > 0 {
		fmt.Fprintf(b, " behind=%s", joined(s.Behind))
	}
	if s.ESN {
		b.WriteString(" esn=yes")
	}
	if s.First != 0 {
		fmt.Fprintf(b, " first=%d", s.First)
	}
	if s.Window != 0 {
		fmt.Fprintf(b, " window=%d", s.Window)
	}
}

func writeEnd(b *bytes.Buffer, name string, end netip.AddrPort) {
	switch {
	case !end.Addr().IsValid():
	case end.Port() == 0:
		fmt.Fprintf(b, " %s=%v", name, end.Addr())
	default:
		fmt.Fprintf(b, " %s=%v", name, end)
	}
}

func joined(networks []netip.Prefix) string {
	texts := make([]string, len(networks))
	for i, network := range networks {
		texts[i] = network.String()
	}
	return strings.Join(texts, ",")
}
