package dtlsadapter

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket moves bursts of datagrams through a UDP socket with recvmmsg and sendmmsg.
// Where the kernel has them, it also uses UDP_GRO, by which one message brings
// several datagrams of one sender, and UDP_SEGMENT, by which one message sends
// several of one length.
type socket struct {
	conn      *net.UDPConn
	raw       syscall.RawConn
	connected bool
	ipv6      bool
	segment   atomic.Bool // UDP_SEGMENT works

	readMu sync.Mutex
	reader *reader
	pool   sync.Pool // of *writer
}

func newSocket(c *net.UDPConn, connected bool) (*socket, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("dtlsadapter: socket: %w", err)
	}
	s := &socket{conn: c, raw: raw, connected: connected}
	if err := s.probe(); err != nil {
		return nil, fmt.Errorf("dtlsadapter: socket: %w", err)
	}
	s.reader = newReader()
	s.pool.New = func() any { return newWriter() }
	return s, nil
}

// probe asks the kernel what the socket can do.
func (s *socket) probe() error {
	var failed error
	err := s.raw.Control(func(fd uintptr) {
		domain, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DOMAIN)
		s.ipv6, failed = domain == unix.AF_INET6, err
		_, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_SEGMENT)
		s.segment.Store(err == nil)
		// A kernel without UDP_GRO delivers datagrams one by one, which is as good.
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_GRO, 1)
	})
	if err != nil {
		return err
	}
	return failed
}

// below is the cause of an error of net's raw connection, which names the socket as ours does.
func below(err error) error {
	if op, ok := err.(*net.OpError); ok { //nolint:errorlint // only the outermost repeats what ours says
		return op.Err
	}
	return err
}

// control is room for one control message with an integer of 2 or 4 bytes, aligned
// as the kernel wants it.
type control struct {
	_    [0]uint64
	data [24]byte
}

func (c *control) header() *unix.Cmsghdr { return (*unix.Cmsghdr)(unsafe.Pointer(&c.data)) }

func (c *control) value() unsafe.Pointer { return unsafe.Pointer(&c.data[unix.CmsgLen(0)]) }

// pack writes the control message that asks for segments of that size.
func (c *control) pack(size int) int {
	h := c.header()
	h.Level, h.Type = unix.IPPROTO_UDP, unix.UDP_SEGMENT
	h.SetLen(unix.CmsgLen(2))
	*(*uint16)(c.value()) = uint16(size)
	return unix.CmsgSpace(2)
}

// segmentSize is the size of the datagrams that one message brought, or 0 for one.
func (c *control) segmentSize(length int) int {
	h := c.header()
	if length < unix.CmsgLen(4) || h.Level != unix.IPPROTO_UDP || h.Type != unix.UDP_GRO {
		return 0
	}
	return int(*(*int32)(c.value()))
}

// message is struct mmsghdr.
type message struct {
	header unix.Msghdr
	length uint32
}

// batchCall does recvmmsg or sendmmsg, and reports false when it would block.
func batchCall(trap, fd uintptr, messages []message) (n int, err error, done bool) {
	for {
		r, _, errno := unix.Syscall6(trap, fd, uintptr(unsafe.Pointer(unsafe.SliceData(messages))), uintptr(len(messages)), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			return int(r), nil, true
		case unix.EAGAIN:
			return 0, nil, false
		case unix.EINTR:
		default:
			return 0, errno, true
		}
	}
}
