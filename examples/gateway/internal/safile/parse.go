package safile

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/sealburst/sealburst/ipsecadapter"
)

// Read reads the SA file of that name.
func Read(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	file, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// Parse reads an SA file. It returns an ErrSyntax for a line that it does not understand,
// and for SAs that cannot be told apart.
func Parse(from io.Reader) (*File, error) {
	file := &File{}
	lines := bufio.NewScanner(from)
	for n := 1; lines.Scan(); n++ {
		if err := file.Add(lines.Text()); err != nil {
			return nil, fmt.Errorf("%w, line %d: %w", ErrSyntax, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	return file, nil
}

// Add reads one line more.
func (f *File) Add(line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
		return nil
	}
	switch fields[0] {
	case "inside":
		return each(fields[1:], f.setInside)
	case "out", "in":
		return f.addSA(fields[0] == "out", fields[1:])
	}
	if fields[0] == "capture" && len(fields) == 1 {
		f.Capture = true
		return nil
	}
	return errors.New("begins with none of inside, out, in and capture")
}

// each hands fields to set and names the one that it refuses.
func each(fields []string, set func(name, value string) error) error {
	seen := map[string]bool{}
	for i, field := range fields {
		name, value, ok := strings.Cut(field, "=")
		switch {
		case !ok:
			return fmt.Errorf("field %d is no NAME=VALUE", i+1)
		case len(name) > longestName: // a key, perhaps, behind a space too many
			return fmt.Errorf("field %d: %w", i+1, errField)
		case seen[name]:
			return fmt.Errorf("%s: is there twice", name)
		}
		seen[name] = true
		if err := set(name, value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

const longestName = len("transform")

var (
	errField    = errors.New("no such field")
	errValue    = errors.New("not a value that it takes")
	errLength   = errors.New("not as many hexadecimal digits as the transform takes")
	errMissing  = errors.New("missing")
	errSameSPI  = errors.New("another SA of that direction has it")
	errSameKey  = errors.New("another SA has it; each needs its own")
	errOneWay   = errors.New("not for this direction")
	errReserved = errors.New("below 256, which is reserved")
)

func (f *File) setInside(name, value string) (err error) {
	switch name {
	case "address":
		f.Inside, err = netip.ParsePrefix(value)
	case "mtu":
		f.MTU, err = strconv.Atoi(value)
	default:
		return errField
	}
	if err != nil {
		return errValue
	}
	return nil
}

func (f *File) addSA(out bool, fields []string) error {
	s := SA{Out: out, Peer: defaultPeer, Mode: ipsecadapter.Tunnel}
	if err := each(fields, s.set); err != nil {
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	for i := range f.SAs {
		if f.SAs[i].Out == out && f.SAs[i].SPI == s.SPI {
			return fmt.Errorf("spi: %w", errSameSPI)
		}
	}
	f.SAs = append(f.SAs, s)
	return nil
}

// set reads one field.
func (s *SA) set(name, value string) (err error) {
	switch name {
	case "peer":
		s.Peer = value
	case "spi":
		s.SPI, err = parseSPI(value)
	case "transform":
		s.Transform, err = ipsecadapter.ParseTransform(value)
	case "key":
		s.Key, err = hex.DecodeString(value)
	case "mode":
		s.Mode, err = parseMode(value)
	case "from":
		s.From, err = parseEnd(value)
	case "to":
		s.To, err = parseEnd(value)
	case "behind":
		s.Behind, err = parseNetworks(value)
	default:
		return s.setOption(name, value)
	}
	if err != nil && !errors.Is(err, errReserved) { // a parser's own words may quote the value
		return errValue
	}
	return err
}

// setOption reads a field that few lines have.
func (s *SA) setOption(name, value string) (err error) {
	switch {
	case name == "encap" && value == "udp":
		s.UDP = true
	case name == "esn" && (value == "yes" || value == "no"):
		s.ESN = value == "yes"
	case name == "first" && s.Out:
		s.First, err = strconv.ParseUint(value, 10, 64)
	case name == "window" && !s.Out:
		s.Window, err = strconv.Atoi(value)
	case name == "first" || name == "window":
		return errOneWay
	case name == "encap" || name == "esn":
		return errValue
	default:
		return errField
	}
	if err != nil {
		return errValue
	}
	return nil
}

// check looks at what one field alone does not tell.
func (s *SA) check() error {
	switch {
	case s.Peer == "":
		return fmt.Errorf("peer: %w", errMissing)
	case s.SPI == 0:
		return fmt.Errorf("spi: %w", errMissing)
	case !s.Transform.Valid():
		return fmt.Errorf("transform: %w", errMissing)
	case len(s.Key) == 0:
		return fmt.Errorf("key: %w", errMissing)
	case len(s.Key) != s.Transform.KeySize():
		return fmt.Errorf("key: %w: %v takes %d", errLength, s.Transform, 2*s.Transform.KeySize())
	}
	return nil
}

func parseSPI(value string) (uint32, error) {
	n, err := strconv.ParseUint(value, 0, 32)
	if err == nil && n < 256 {
		return 0, errReserved
	}
	return uint32(n), err
}

func parseMode(value string) (ipsecadapter.Mode, error) {
	switch value {
	case "tunnel":
		return ipsecadapter.Tunnel, nil
	case "transport":
		return ipsecadapter.Transport, nil
	}
	return 0, errValue
}

// parseEnd reads an address with or without a port.
func parseEnd(value string) (netip.AddrPort, error) {
	if end, err := netip.ParseAddrPort(value); err == nil {
		return end, nil
	}
	addr, err := netip.ParseAddr(value)
	return netip.AddrPortFrom(addr, 0), err
}

func parseNetworks(value string) (networks []netip.Prefix, err error) {
	for text := range strings.SplitSeq(value, ",") {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}
