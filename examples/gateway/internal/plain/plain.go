// Package plain opens the plain side of a gateway as an operator names it.
package plain

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/sealburst/sealburst/examples/gateway/internal/capture"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/afpacket"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/dpdk"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/pcap"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/tun"
	"github.com/sealburst/sealburst/examples/gateway/internal/port/udp"
)

// Syntax is how an operator names a port.
const Syntax = "tun:NAME, afpacket:INTERFACE, udp:LOCAL,PEER, pcap:IN,OUT or dpdk:DEVICE[@ADDRESS/BITS]"

// Config is what a port needs to know of the tunnel.
type Config struct {
	Address netip.Prefix // of a TUN device
	Routes  []netip.Prefix
	MTU     int
}

// Open opens the port that spec names, and says what it is for logs.
func Open(spec string, c Config) (port.Port, string, error) {
	kind, where, _ := strings.Cut(spec, ":")
	switch kind {
	case "tun":
		return openTUN(where, c)
	case "afpacket":
		p, err := afpacket.Open(where)
		if err != nil {
			return nil, "", err
		}
		return p, spec, nil
	case "udp":
		return openUDP(where)
	case "pcap":
		return openPcap(where)
	case "dpdk":
		p, err := dpdk.OpenPort(where, c.MTU)
		if err != nil {
			return nil, "", err
		}
		return p, spec, nil
	}
	return nil, "", fmt.Errorf("plain side %q is none of %s", spec, Syntax)
}

func openTUN(name string, c Config) (port.Port, string, error) {
	p, err := tun.Open(tun.Config{Name: name, MTU: c.MTU, Address: c.Address, Routes: c.Routes})
	if err != nil {
		return nil, "", err
	}
	return p, "tun:" + p.Name(), nil
}

func openUDP(where string) (port.Port, string, error) {
	local, peer, ok := strings.Cut(where, ",")
	if !ok {
		return nil, "", fmt.Errorf("plain side udp:%s lacks the peer: udp:LOCAL,PEER", where)
	}
	conn, err := udp.Dial(local, peer)
	if err != nil {
		return nil, "", err
	}
	p, err := udp.New(conn)
	if err != nil {
		conn.Close()
		return nil, "", err
	}
	return p, "udp:" + where, nil
}

func openPcap(where string) (port.Port, string, error) {
	in, out, ok := strings.Cut(where, ",")
	if !ok {
		return nil, "", fmt.Errorf("plain side pcap:%s lacks the capture to write: pcap:IN,OUT", where)
	}
	reader, err := capture.Open(in)
	if err != nil {
		return nil, "", err
	}
	writer, err := capture.Create(out, capture.Format{Link: capture.Raw, Nanos: true, Snap: capture.MaxSnap})
	if err != nil {
		reader.Close()
		return nil, "", err
	}
	return &pcap.Port{Source: pcap.NewSource(reader), Sink: pcap.NewSink(writer, time.Now)}, "pcap:" + where, nil
}
