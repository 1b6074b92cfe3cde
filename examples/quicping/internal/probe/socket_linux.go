package probe

import (
	"net"

	"golang.org/x/net/ipv4"

	"github.com/sealburst/sealburst/record"
)

// reader takes what is there in one recvmmsg.
type reader struct {
	batch    *ipv4.PacketConn // its batches work for both families
	messages []ipv4.Message
}

func newReader(udp *net.UDPConn) reader {
	r := reader{ipv4.NewPacketConn(udp), make([]ipv4.Message, readBurst)}
	for i := range r.messages {
		r.messages[i].Buffers = [][]byte{make([]byte, maxReceived)}
	}
	return r
}

// read appends a burst of at least one.
func (r *reader) read(burst []record.Datagram) ([]record.Datagram, error) {
	n, err := r.batch.ReadBatch(r.messages, 0)
	if err != nil {
		return burst, err
	}
	for i := range r.messages[:n] {
		burst = append(burst, record.Datagram{Buf: r.messages[i].Buffers[0], Len: r.messages[i].N})
	}
	return burst, nil
}
