package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
)

// datagram is a UDP payload of the capture.
type datagram struct {
	frame    int // in the capture, from 1
	at       time.Time
	from, to netip.AddrPort
	payload  []byte
}

// source reads frames, of pcap or pcapng.
type source interface {
	ReadPacketData() ([]byte, gopacket.CaptureInfo, error)
	LinkType() layers.LinkType
}

// pcapngMagic is the block type that a pcapng file begins with.
var pcapngMagic = []byte{0x0a, 0x0d, 0x0d, 0x0a}

func open(r io.Reader) (source, error) {
	b := bufio.NewReader(r)
	magic, err := b.Peek(len(pcapngMagic))
	if err != nil {
		return nil, fmt.Errorf("no capture: %w", err)
	}
	if bytes.Equal(magic, pcapngMagic) {
		return pcapgo.NewNgReader(b, pcapgo.DefaultNgReaderOptions)
	}
	return pcapgo.NewReader(b)
}

// eachDatagram hands every UDP datagram of a file over. Fragments are passed over.
func eachDatagram(file string, take func(datagram)) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	s, err := open(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for number := 1; ; number++ {
		data, info, err := s.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: frame %d: %w", file, number, err)
		}
		if d, ok := decode(data, s.LinkType()); ok {
			d.frame, d.at = number, info.Timestamp
			take(d)
		}
	}
}

func decode(data []byte, link layers.LinkType) (d datagram, ok bool) {
	p := gopacket.NewPacket(data, link, gopacket.DecodeOptions{Lazy: true, NoCopy: true})
	udp, isUDP := p.Layer(layers.LayerTypeUDP).(*layers.UDP)
	network := p.NetworkLayer()
	if !isUDP || network == nil {
		return d, false
	}
	flow := network.NetworkFlow()
	from, ok1 := netip.AddrFromSlice(flow.Src().Raw())
	to, ok2 := netip.AddrFromSlice(flow.Dst().Raw())
	d.from, d.to = netip.AddrPortFrom(from, uint16(udp.SrcPort)), netip.AddrPortFrom(to, uint16(udp.DstPort))
	d.payload = udp.Payload
	return d, ok1 && ok2
}
