package ethernet

import (
	"encoding/binary"

	"github.com/sealburst/sealburst/record"
)

// Echo makes of an ICMP echo request (RFC 792, RFC 4443 section 4.1) the reply to it, in
// place. The datagram is an IP packet to one of the gateway's own addresses, without a
// frame round it, and with its whole IP header. Anything else gets a cause, and false.
func Echo(d *record.Datagram) bool {
	packet := d.Content()
	if packet[0]>>4 == 6 {
		return echoInside6(d, packet)
	}
	header, total := int(packet[0]&15)*4, int(binary.BigEndian.Uint16(packet[2:]))
	switch {
	case header < ipv4Size || total < header || total > len(packet):
		d.Drop = record.DropMalformed
	case binary.BigEndian.Uint16(packet[6:])&0x3fff != 0:
		d.Drop = record.DropFragment
	case packet[9] != protoICMP || !echo4(packet[:total], header):
		d.Drop = record.DropType
	}
	d.Len = total // what follows is padding
	return d.Drop == record.DropNone
}

func echoInside6(d *record.Datagram, packet []byte) bool {
	total := ipv6Size + int(binary.BigEndian.Uint16(packet[4:]))
	switch {
	case total > len(packet):
		d.Drop = record.DropMalformed
	case packet[6] != protoICMPv6 || total < ipv6Size+icmpHeader || !rightICMP6(packet[:total]) || !echo6(packet[:total]):
		d.Drop = record.DropType
	}
	d.Len = total
	return d.Drop == record.DropNone
}
