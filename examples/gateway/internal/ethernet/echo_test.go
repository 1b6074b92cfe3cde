package ethernet

import (
	"bytes"
	"testing"

	"github.com/sealburst/sealburst/record"
)

// TestEchoInsideATunnel is a reply as long as the request says, whatever pads it, and
// nothing beyond it is touched.
func TestEchoInsideATunnel(t *testing.T) {
	request := ping4("192.0.2.2", "192.0.2.1", 21)
	padding := []byte{1, 2, 3, 4}
	d := &record.Datagram{Buf: append(bytes.Clone(request), padding...), Len: len(request) + len(padding)}
	if !Echo(d) || d.Len != len(request) || !bytes.Equal(d.Buf[d.Len:], padding) {
		t.Fatalf("%v, %d bytes of %d: %x", d.Drop, d.Len, len(request), d.Buf)
	}
	reply := d.Content()
	if reply[20] != 0 || slowSum(reply[:20]) != 0 || slowSum(reply[20:]) != 0 ||
		!bytes.Equal(reply[12:16], request[16:20]) || !bytes.Equal(reply[16:20], request[12:16]) || !bytes.Equal(reply[24:], request[24:]) {
		t.Errorf("%x for %x", reply, request)
	}
}

// FuzzEcho feeds packets with whole headers of IP: none makes it panic, write behind
// the packet, or grow.
func FuzzEcho(f *testing.F) {
	f.Add(ping4("192.0.2.2", "192.0.2.1", 20))
	f.Add(icmp6(bytesOf(f, solicit))[HeaderSize:])
	f.Fuzz(func(t *testing.T, packet []byte) {
		if len(packet) < ipv4Size || packet[0]>>4 == 6 && len(packet) < ipv6Size {
			return
		}
		const behind = 64
		d := &record.Datagram{Buf: append(bytes.Clone(packet), make([]byte, behind)...), Len: len(packet)}
		if ok := Echo(d); ok != (d.Drop == record.DropNone) || ok && (!d.Valid() || d.Len > len(packet)) {
			t.Fatalf("%v, %v, %d bytes", ok, d.Drop, d.Len)
		}
		if !bytes.Equal(d.Buf[len(packet):], make([]byte, behind)) {
			t.Fatal("writes behind the packet")
		}
	})
}
