package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// gatewayCell is packets of one size on their way out through one SA.
type gatewayCell struct {
	dir  string
	size int
	in   string // capture of plain packets
	sa   string // the gateway's SA file
	saIn string // that of a gateway which opens what the first one seals
	cfg  string // ipsec-secgw's
	psk  string // the gateway's file of pre-shared keys
}

const (
	gatewayKey  = "000102030405060708090a0b0c0d0e0f"
	gatewaySalt = "01020304"
	gatewayPSK  = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a" // of the client of DTLS
	plainMAC    = "02:00:00:00:01:01"
	captured    = 64 // packets in the capture
)

func newGatewayCell(dir string, size int) (*gatewayCell, error) {
	name := func(suffix string) string { return filepath.Join(dir, fmt.Sprintf("%d%s", size, suffix)) }
	g := &gatewayCell{dir: dir, size: size, in: name(".pcap"), sa: name(".sa"), saIn: name(".in.sa"), cfg: name(".cfg"), psk: name(".psk")}
	sa := func(way, behind string) []byte {
		return fmt.Appendf(nil, "%s spi=4097 transform=aes128gcm16 key=%s%s from=192.0.2.1 to=192.0.2.2 behind=%s\n", way, gatewayKey, gatewaySalt, behind)
	}
	files := map[string][]byte{
		g.saIn:                           sa("in", "10.1.0.0/16"),
		g.in:                             capturedPackets(size),
		filepath.Join(dir, "empty.pcap"): pcapHeader(),
		g.sa:                             sa("out", "10.2.0.0/16"),
		g.cfg:                            []byte(secgwConfig),
		g.psk:                            []byte("bench:" + gatewayPSK + "\n"),
	}
	for path, content := range files {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func pcapHeader() []byte {
	h := make([]byte, 24)
	binary.LittleEndian.PutUint32(h, 0xa1b2c3d4)
	copy(h[4:], []byte{2, 0, 4, 0})
	binary.LittleEndian.PutUint32(h[16:], 1<<16-1)
	h[20] = 1 // Ethernet
	return h
}

func capturedPackets(size int) []byte {
	file := pcapHeader()
	for i := range captured {
		frame := append([]byte("\x02\x00\x00\x00\x01\x01\x02\x00\x00\x00\x01\x02\x08\x00"), plainPacket(i, size)...)
		var head [16]byte
		binary.LittleEndian.PutUint32(head[8:], uint32(len(frame)))
		binary.LittleEndian.PutUint32(head[12:], uint32(len(frame)))
		file = append(append(file, head[:]...), frame...)
	}
	return file
}

// plainPacket is a UDP packet from 10.1.0.9 to 10.2.3.1.
func plainPacket(number, size int) []byte {
	p := make([]byte, size)
	copy(p, []byte{0x45, 0, byte(size >> 8), byte(size), 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 1, 0, 9, 10, 2, 3, 1, 4, byte(number), 7, 208})
	binary.BigEndian.PutUint16(p[24:], uint16(size-20))
	binary.BigEndian.PutUint16(p[10:], ipChecksum(p[:20]))
	for i := 28; i < size; i++ {
		p[i] = byte(number + 7*i)
	}
	return p
}

func ipChecksum(header []byte) uint16 {
	var sum uint32
	for i := 0; i < len(header); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(header[i:]))
	}
	for sum>>16 != 0 {
		sum = sum&0xffff + sum>>16
	}
	return ^uint16(sum)
}

// endless is a device that receives the capture over and over.
func (g *gatewayCell) endless() string {
	return "net_pcap0,rx_pcap=" + g.in + ",tx_pcap=/dev/null,infinite_rx=1"
}

// nowhere is a device that takes what is sent, and receives nothing.
const nowhere = "net_null1,no-rx=1"

// verify runs the gateway over the capture once, and opens what came out with Go's own
// AES-GCM (RFC 4106).
func (g *gatewayCell) verify(program string) error {
	out := filepath.Join(g.dir, "out.pcap")
	empty := filepath.Join(g.dir, "empty.pcap")
	flags := append(g.flags(g.sa, "net_pcap0,rx_pcap="+g.in+",tx_pcap=/dev/null", "net_pcap1,rx_pcap="+empty+",tx_pcap="+out), "-quiet", "1s", "-transparent")
	if said, err := exec.Command(program, flags...).CombinedOutput(); err != nil {
		return fmt.Errorf("the gateway: %w: %s", err, said)
	}
	file, err := os.ReadFile(out)
	if err != nil {
		return err
	}
	rest, n := file[min(24, len(file)):], 0
	for ; len(rest) >= 16; n++ {
		length := int(binary.LittleEndian.Uint32(rest[8:]))
		if length < 14+20 || length > len(rest)-16 {
			return fmt.Errorf("packet %d of %d bytes is no IPv4 packet: %d bytes", n, g.size, length)
		}
		packet, err := openESP(rest[16+14+20 : 16+length])
		if err != nil {
			return fmt.Errorf("packet %d of %d bytes does not open: %w", n, g.size, err)
		}
		if n >= captured || !bytes.Equal(packet[:min(g.size, len(packet))], plainPacket(n, g.size)) {
			return fmt.Errorf("packet %d of %d bytes is none that was sent", n, g.size)
		}
		rest = rest[16+length:]
	}
	if n != captured {
		return fmt.Errorf("%d packets of %d bytes came out of %d", n, g.size, captured)
	}
	return nil
}

func openESP(esp []byte) ([]byte, error) {
	key, err := hex.DecodeString(gatewayKey + gatewaySalt)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key[:16])
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return aead.Open(nil, append(key[16:20:20], esp[8:16]...), esp[16:], esp[:8])
}

// flags are those of a gateway that seals, or of the peer that opens what it sealed,
// between two devices.
func (g *gatewayCell) flags(sa, plain, protected string) []string {
	own := []string{"-protected-address", "192.0.2.1/24", "-protected-peer", "02:00:00:00:02:02"}
	if sa == g.saIn {
		own = []string{"-protected-address", "192.0.2.2/24", "-protected-mac", "02:00:00:00:02:02"}
	}
	return append([]string{
		"dpdk", "-json", "-protocol", "esp", "-sa", sa, "-sa-state", sa + ".next", "-plain-device", plain, "-protected-device", protected,
		"-plain-mac", plainMAC, "-plain-address", "10.1.0.1/24", "-plain-peer", "02:00:00:00:01:02",
	}, own...)
}

// secgwConfig is the same SA for ipsec-secgw, which wants one in as well.
const secgwConfig = `sp ipv4 out esp protect 5 pri 1 dst 10.2.0.0/16 sport 0:65535 dport 0:65535
sp ipv4 in esp protect 105 pri 1 dst 10.1.0.0/16 sport 0:65535 dport 0:65535
sa out 5 aead_algo aes-128-gcm aead_key 00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:01:02:03:04 mode ipv4-tunnel src 192.0.2.1 dst 192.0.2.2
sa in 105 aead_algo aes-128-gcm aead_key 10:11:12:13:14:15:16:17:18:19:1a:1b:1c:1d:1e:1f:01:02:03:04 mode ipv4-tunnel src 192.0.2.2 dst 192.0.2.1
rt ipv4 dst 192.0.2.2/32 port 1
rt ipv4 dst 10.2.0.0/16 port 1
rt ipv4 dst 10.1.0.0/16 port 0
neigh port 0 02:00:00:00:01:02
neigh port 1 02:00:00:00:02:02
`
