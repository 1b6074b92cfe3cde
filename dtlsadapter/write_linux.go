package dtlsadapter

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	writeDatagrams = 64
	maxSegments    = 64    // of one message, as the kernel allows
	maxSegmented   = 65000 // bytes of one message
)

// writer is the memory of a socket's write.
type writer struct {
	messages [writeDatagrams]message
	vectors  [writeDatagrams]unix.Iovec
	names    [writeDatagrams]unix.RawSockaddrInet6
	controls [writeDatagrams]control
	counts   [writeDatagrams]int // datagrams of each message
	n, sent  int                 // messages
	err      error
	send     func(fd uintptr) bool
}

func newWriter() *writer {
	w := new(writer)
	w.send = func(fd uintptr) (done bool) {
		var n int
		n, w.err, done = batchCall(unix.SYS_SENDMMSG, fd, w.messages[w.sent:w.n])
		w.sent += n
		return done
	}
	return w
}

// write sends datagrams in order and returns how many it sent.
func (s *socket) write(datagrams [][]byte, to destinations) (n int, err error) {
	w := s.pool.Get().(*writer)
	defer s.pool.Put(w)
	for n < len(datagrams) && err == nil {
		some := min(len(datagrams)-n, writeDatagrams)
		named := s.nameable(some, to.from(n))
		var sent int
		sent, err = s.writeSome(w, datagrams[n:n+named], to.from(n))
		n += sent
		if err == nil && named < some {
			err = s.writeError(unix.EAFNOSUPPORT)
		}
	}
	return n, err
}

// nameable is how many of the first n destinations the socket has a name for: all, but
// for an IPv4 socket those before the first address of another kind.
func (s *socket) nameable(n int, to destinations) int {
	if s.connected || s.ipv6 {
		return n
	}
	for i := range n {
		if addr := to.at(i).Addr(); !addr.Is4() && !addr.Is4In6() {
			return i
		}
	}
	return n
}

func (s *socket) writeSome(w *writer, datagrams [][]byte, to destinations) (int, error) {
	defer clear(w.vectors[:len(datagrams)])
	segment := s.segment.Load()
	s.fill(w, datagrams, to, segment)
	n, err := s.flush(w)
	if !segment || !s.unsegmentable(err) {
		return n, err
	}
	s.fill(w, datagrams[n:], to.from(n), false)
	more, err := s.flush(w)
	return n + more, err
}

// unsegmentable reports whether segmenting was what failed: for this burst when the
// datagrams are longer than a packet may be, for good when the device cannot
// compute the checksums.
func (s *socket) unsegmentable(err error) bool {
	if errors.Is(err, unix.EIO) {
		s.segment.Store(false)
		return true
	}
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EMSGSIZE)
}

// fill lays datagrams out as messages: runs to one address and of one size, of which
// the last may be shorter, go into one message each if the socket segments.
func (s *socket) fill(w *writer, datagrams [][]byte, to destinations, segment bool) {
	w.n, w.sent = 0, 0
	for i := 0; i < len(datagrams); w.n++ {
		run := 1
		if segment {
			run = runLength(datagrams[i:], to.from(i))
		}
		s.message(w, i, datagrams[i:i+run])
		if !s.connected {
			s.name(w, to.at(i))
		}
		i += run
	}
}

// runLength is how many datagrams from the start can be one message.
func runLength(datagrams [][]byte, to destinations) int {
	size := len(datagrams[0])
	total := size
	for n := 1; n < len(datagrams); n++ {
		d := datagrams[n]
		total += len(d)
		if n == maxSegments || len(d) == 0 || len(d) > size || total > maxSegmented || to.at(n) != to.at(0) {
			return n
		}
		if len(d) < size {
			return n + 1
		}
	}
	return len(datagrams)
}

// message describes the next message; its vectors are those of its datagrams.
func (s *socket) message(w *writer, first int, datagrams [][]byte) {
	for i, d := range datagrams {
		w.vectors[first+i].Base = unsafe.SliceData(d)
		w.vectors[first+i].SetLen(len(d))
	}
	h := &w.messages[w.n].header
	*h = unix.Msghdr{Iov: &w.vectors[first]}
	h.SetIovlen(len(datagrams))
	w.counts[w.n] = len(datagrams)
	if len(datagrams) > 1 {
		h.Control = &w.controls[w.n].data[0]
		h.SetControllen(w.controls[w.n].pack(len(datagrams[0])))
	}
}

// name addresses the next message.
func (s *socket) name(w *writer, to netip.AddrPort) {
	h, name := &w.messages[w.n].header, &w.names[w.n]
	h.Name = (*byte)(unsafe.Pointer(name))
	binary.BigEndian.PutUint16((*[2]byte)(unsafe.Pointer(&name.Port))[:], to.Port())
	if s.ipv6 {
		name.Family, name.Addr = unix.AF_INET6, to.Addr().As16()
		name.Scope_id = scope(to.Addr().Zone())
		h.Namelen = unix.SizeofSockaddrInet6
		return
	}
	v4 := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
	v4.Family, v4.Addr = unix.AF_INET, to.Addr().As4()
	h.Namelen = unix.SizeofSockaddrInet4
}

// scope is the interface of a zone as address makes them, 0 for none.
func scope(zone string) uint32 {
	if zone == "" {
		return 0
	}
	index, _ := strconv.ParseUint(zone, 10, 32)
	return uint32(index)
}

// flush sends the messages and returns how many datagrams that were.
func (s *socket) flush(w *writer) (n int, err error) {
	for w.sent < w.n && err == nil {
		w.err = nil
		if err = s.raw.Write(w.send); err == nil && w.err != nil {
			err = os.NewSyscallError("sendmmsg", w.err)
		}
	}
	for _, count := range w.counts[:w.sent] {
		n += count
	}
	if err != nil {
		err = s.writeError(err)
	}
	return n, err
}

func (s *socket) writeError(err error) error {
	return &net.OpError{Op: "write", Net: "udp", Source: s.conn.LocalAddr(), Err: below(err)}
}
