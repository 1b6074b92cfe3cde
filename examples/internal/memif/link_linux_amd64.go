package memif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// Listener waits for the other end at a socket.
type Listener struct{ socket *net.UnixListener }

// Listen makes the socket, a file that must not be there yet.
func Listen(path string) (*Listener, error) {
	socket, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return nil, fmt.Errorf("memif: %w", err)
	}
	return &Listener{socket}, nil
}

// Close ends waiting, and removes the socket.
func (l *Listener) Close() error { return l.socket.Close() }

// Link is one end of an interface. One goroutine receives and one sends.
type Link struct {
	control *net.UnixConn
	region  []byte
	in, out ring
}

// Accept waits for the other end and joins it.
func (l *Listener) Accept() (*Link, error) {
	control, err := l.socket.AcceptUnix()
	if err != nil {
		return nil, fmt.Errorf("memif: %w", err)
	}
	link := &Link{control: control}
	if err := link.join(); err != nil {
		return nil, errors.Join(err, link.Close())
	}
	return link, nil
}

// join answers what the other end asks for until it connects.
func (l *Link) join() error {
	if _, err := l.control.Write(hello()); err != nil {
		return fmt.Errorf("memif: %w", err)
	}
	for {
		m, file, err := receive(l.control)
		if err != nil {
			return err
		}
		kind := binary.LittleEndian.Uint16(m)
		err = l.take(kind, m, file)
		if file >= 0 {
			_ = unix.Close(file) // what is mapped stays so, and nobody is woken
		}
		if err != nil {
			return err
		}
		answer := message(typeAck)
		if kind == typeConnect {
			answer = message(typeConnected)
		}
		if _, err := l.control.Write(answer); err != nil || kind == typeConnect {
			return err
		}
	}
}

func (l *Link) take(kind uint16, m []byte, file int) error {
	switch kind {
	case typeAck:
	case typeInit:
		if v := binary.LittleEndian.Uint16(m[2:]); v != version {
			return fmt.Errorf("%w: version %#x", ErrProtocol, v)
		}
	case typeAddRegion:
		return l.addRegion(m, file)
	case typeAddRing:
		return l.addRing(m)
	case typeConnect:
		if l.in.header == nil || l.out.header == nil {
			return fmt.Errorf("%w: it connects without rings", ErrProtocol)
		}
		l.in.quiet()
	default:
		return fmt.Errorf("%w: message %d", ErrProtocol, kind)
	}
	return nil
}

func (l *Link) addRegion(m []byte, file int) error {
	index, size := binary.LittleEndian.Uint16(m[2:]), binary.LittleEndian.Uint64(m[4:])
	if index != 0 || l.region != nil || file < 0 || size > maxRegion {
		return fmt.Errorf("%w: region %d of %d bytes", ErrProtocol, index, size)
	}
	if err := whole(file, int64(size)); err != nil {
		return err
	}
	region, err := unix.Mmap(file, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("memif: %w", err)
	}
	l.region = region
	return nil
}

// whole reports why a file does not have so many bytes, or need not keep them: to touch
// what another process has cut off would kill this one (SIGBUS).
func whole(file int, size int64) error {
	seals, err := unix.FcntlInt(uintptr(file), unix.F_GET_SEALS, 0)
	if err != nil || seals&unix.F_SEAL_SHRINK == 0 { // other files than memfd_create's have no seals
		return ErrUnsealed
	}
	var stat unix.Stat_t
	if err := unix.Fstat(file, &stat); err != nil {
		return fmt.Errorf("memif: %w", err)
	}
	if stat.Size < size {
		return fmt.Errorf("%w: a region of %d bytes in a file of %d", ErrProtocol, size, stat.Size)
	}
	return nil
}

// maxRegion is what this end maps at most.
const maxRegion = 1 << 30

func (l *Link) addRing(m []byte) (err error) {
	const fromClient = 1
	flags, index, region := binary.LittleEndian.Uint16(m[2:]), binary.LittleEndian.Uint16(m[4:]), binary.LittleEndian.Uint16(m[6:])
	offset, logSize := binary.LittleEndian.Uint32(m[8:]), m[12]
	if index != 0 || region != 0 {
		return fmt.Errorf("%w: ring %d in region %d", ErrProtocol, index, region)
	}
	to := &l.out
	if flags&fromClient != 0 {
		to = &l.in
	}
	*to, err = newRing(l.region, offset, logSize)
	return err
}

// Gone waits until the other end has gone.
func (l *Link) Gone() {
	for {
		m, file, err := receive(l.control)
		if file >= 0 {
			_ = unix.Close(file)
		}
		if err != nil || binary.LittleEndian.Uint16(m) == typeDisconnect {
			return
		}
	}
}

// Close leaves the other end. Nobody sends or receives any more.
func (l *Link) Close() error {
	err := l.control.Close()
	if l.region != nil {
		err = errors.Join(err, unix.Munmap(l.region))
		l.region, l.in, l.out = nil, ring{}, ring{}
	}
	return err
}
