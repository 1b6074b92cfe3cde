package dtlsadapter

import (
	"encoding/binary"
	"net"
	"net/netip"
	"os"
	"strconv"
	"unsafe"

	"github.com/sealburst/sealburst/record"
	"golang.org/x/sys/unix"
)

// readMessages is how many messages one call reads. Each has room for the largest
// that the kernel puts together; of memory that is not used, the system gives none.
const readMessages = 32

// reader is the memory of a socket's read. Datagrams stay in it until the next read;
// those that did not fit the caller's burst are left over for it.
type reader struct {
	messages [readMessages]message
	vectors  [readMessages]unix.Iovec
	names    [readMessages]unix.RawSockaddrInet6
	controls [readMessages]control
	buffers  []byte
	n, next  int // messages that were read, and that were handed out
	at       int // where the next datagram of the next message starts
	err      error
	receive  func(fd uintptr) bool
}

func newReader() *reader {
	r := &reader{buffers: make([]byte, readMessages*maxDatagram)}
	for i := range r.messages {
		h := &r.messages[i].header
		r.vectors[i].Base = &r.buffers[i*maxDatagram]
		r.vectors[i].SetLen(maxDatagram)
		h.Iov = &r.vectors[i]
		h.SetIovlen(1)
		h.Name = (*byte)(unsafe.Pointer(&r.names[i]))
		h.Control = &r.controls[i].data[0]
	}
	r.receive = func(fd uintptr) (done bool) {
		r.n, r.err, done = batchCall(unix.SYS_RECVMMSG, fd, r.messages[:])
		return done
	}
	return r
}

// read waits for datagrams, and lends them until the next read. from takes their
// senders unless it is nil.
func (s *socket) read(burst []record.Datagram, from []netip.AddrPort) (n int, err error) {
	s.readMu.Lock()
	defer s.readMu.Unlock()
	r := s.reader
	if r.next == r.n {
		if err := s.receive(); err != nil {
			return 0, err
		}
	}
	for ; n < len(burst) && r.next < r.n; n++ {
		if from != nil {
			from[n] = address(&r.names[r.next])
		}
		burst[n] = r.cut()
	}
	return n, nil
}

func (s *socket) receive() error {
	r := s.reader
	for i := range r.messages {
		h := &r.messages[i].header
		h.Namelen = unix.SizeofSockaddrInet6
		h.SetControllen(len(control{}.data))
	}
	r.n, r.next, r.at = 0, 0, 0
	err := s.raw.Read(r.receive)
	if err == nil && r.err != nil {
		err = os.NewSyscallError("recvmmsg", r.err)
	}
	if err != nil {
		return &net.OpError{Op: "read", Net: "udp", Source: s.conn.LocalAddr(), Err: below(err)}
	}
	return nil
}

// cut takes the next datagram.
func (r *reader) cut() record.Datagram {
	m := &r.messages[r.next]
	base, total := r.next*maxDatagram, int(m.length)
	size := r.controls[r.next].segmentSize(int(m.header.Controllen))
	if size <= 0 || size > total-r.at {
		size = total - r.at
	}
	d := record.Datagram{Buf: r.buffers[base+r.at : base+r.at+size : base+r.at+size], Len: size}
	r.at += size
	if r.at >= total {
		r.next, r.at = r.next+1, 0
	}
	return d
}

// address reads a sender. An IPv4 address comes out as one, also from an IPv6 socket.
// A link-local one has the number of its interface as its zone (RFC 4007 section 11.2).
func address(name *unix.RawSockaddrInet6) netip.AddrPort {
	port := binary.BigEndian.Uint16((*[2]byte)(unsafe.Pointer(&name.Port))[:])
	if name.Family == unix.AF_INET {
		v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		return netip.AddrPortFrom(netip.AddrFrom4(v4.Addr), port)
	}
	addr := netip.AddrFrom16(name.Addr).Unmap()
	if name.Scope_id != 0 {
		addr = addr.WithZone(strconv.FormatUint(uint64(name.Scope_id), 10))
	}
	return netip.AddrPortFrom(addr, port)
}
