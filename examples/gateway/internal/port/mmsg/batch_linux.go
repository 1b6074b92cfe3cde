package mmsg

import (
	"syscall"
	"unsafe"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
	"golang.org/x/sys/unix"
)

// message is the system's struct mmsghdr; Go pads it as C does.
type message struct {
	header unix.Msghdr
	length uint32
}

// Batch is what one call is given. Address is the socket's kind of address, one of package
// unix's RawSockaddr types. One goroutine uses it at a time.
type Batch[Address any] struct {
	raw       syscall.RawConn
	messages  [port.MaxBurst]message
	vectors   [port.MaxBurst]unix.Iovec
	addresses [port.MaxBurst]Address
}

// New makes a batch for a socket.
func New[Address any](raw syscall.RawConn) *Batch[Address] {
	b := &Batch[Address]{raw: raw}
	for i := range b.messages {
		h := &b.messages[i].header
		h.Iov = &b.vectors[i]
		h.SetIovlen(1)
		h.Name = (*byte)(unsafe.Pointer(&b.addresses[i]))
	}
	return b
}

// set points message i at some bytes, of which there is at least one.
func (b *Batch[Address]) set(i int, bytes []byte) {
	b.vectors[i].Base = &bytes[0]
	b.vectors[i].SetLen(len(bytes))
	b.messages[i].header.Namelen = uint32(unsafe.Sizeof(b.addresses[i]))
	b.messages[i].length = 0
}

// Receive waits for packets and puts them behind the headroom of burst. Length, Cut and
// From tell of them.
func (b *Batch[Address]) Receive(burst []record.Datagram) (n int, err error) {
	count := min(len(burst), len(b.messages))
	for i := range count {
		b.set(i, burst[i].Buf[port.Headroom:])
	}
	var errno syscall.Errno
	err = b.raw.Read(func(fd uintptr) bool {
		n, errno = b.call(unix.SYS_RECVMMSG, fd, 0, count)
		return errno != unix.EAGAIN
	})
	if err == nil && errno != 0 && errno != unix.EINTR {
		err = errno
	}
	return n, err
}

// Length is how long packet i is that Receive brought.
func (b *Batch[Address]) Length(i int) int { return int(b.messages[i].length) }

// Cut reports whether packet i was longer than its buffer.
func (b *Batch[Address]) Cut(i int) bool { return b.messages[i].header.Flags&unix.MSG_TRUNC != 0 }

// From is where packet i came from.
func (b *Batch[Address]) From(i int) *Address { return &b.addresses[i] }

// Send sends what is not dropped, each packet to its address. One that the system refuses
// is passed over.
func (b *Batch[Address]) Send(burst []record.Datagram, address func(packet []byte) Address) (sent int, err error) {
	count := 0
	for i := range burst {
		if d := &burst[i]; d.Drop == record.DropNone && d.Len > 0 {
			b.set(count, d.Content())
			b.addresses[count] = address(d.Content())
			count++
		}
	}
	for at := 0; at < count; {
		n, errno := 0, syscall.Errno(0)
		err := b.raw.Write(func(fd uintptr) bool {
			n, errno = b.call(unix.SYS_SENDMMSG, fd, at, count-at)
			return errno != unix.EAGAIN
		})
		switch {
		case err != nil:
			return sent, err
		case errno == 0:
			sent, at = sent+n, at+n
		case errno != unix.EINTR:
			at++
		}
	}
	return sent, nil
}

func (b *Batch[Address]) call(number, fd uintptr, at, count int) (int, syscall.Errno) {
	n, _, errno := unix.Syscall6(number, fd, uintptr(unsafe.Pointer(&b.messages[at])), uintptr(count), unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), 0
}
