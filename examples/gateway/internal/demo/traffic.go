package demo

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
)

// traffic is packets that cross the tunnel, as one row of the table.
type traffic struct {
	name    string
	packets [][]byte
}

func (t *traffic) bytes() (sum uint64) {
	for _, p := range t.packets {
		sum += uint64(len(p))
	}
	return sum
}

func (t *traffic) longest() (n int) {
	for _, p := range t.packets {
		n = max(n, len(p))
	}
	return n
}

// fromCapture takes the IP packets of a capture.
func fromCapture(pcap []byte) (traffic, error) {
	r, err := capture.NewReader(bytes.NewReader(pcap))
	if err != nil {
		return traffic{}, err
	}
	t := traffic{name: "capture"}
	for {
		frame, err := r.Next()
		switch {
		case errors.Is(err, io.EOF) && len(t.packets) > 0:
			return t, nil
		case errors.Is(err, io.EOF):
			return t, errors.New("the capture holds no IP packet")
		case err != nil:
			return t, err
		}
		if frame.IP && !frame.Cut {
			t.packets = append(t.packets, frame.Packet())
		}
	}
}

// sweepSizes are the packet lengths of the sweep in bytes.
var sweepSizes = [...]int{64, 128, 256, 512, 1024, 1400}

// sweepPackets is how many packets of each length there are; no two are alike.
const sweepPackets = 1024

// sweep makes packets of every length.
func sweep() (all []traffic) {
	for _, size := range sweepSizes {
		t := traffic{name: fmt.Sprintf("%d bytes", size)}
		for i := range sweepPackets {
			t.packets = append(t.packets, numbered(size, i))
		}
		all = append(all, t)
	}
	return all
}

// numbered is an IPv4 packet of a length, with content that depends on its number.
func numbered(size, number int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte(i*7 + number + number>>8*13)
	}
	copy(p, []byte{0x45, 0, byte(size >> 8), byte(size), byte(number >> 8), byte(number), 0, 0, 64, 17, 0, 0})
	return p
}
