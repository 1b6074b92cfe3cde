package memif

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// ErrProtocol says that the other end does not speak memif 2.0 as this one does.
var ErrProtocol = errors.New("memif: the other end asks for what is not offered")

// ErrUnsealed says that the other end could take its memory away while this one uses it.
// DPDK seals what it shares.
var ErrUnsealed = errors.New("memif: the other end's memory is not sealed against shrinking (F_SEAL_SHRINK)")

// Messages on the socket are 128 bytes: a type, and then what depends on it. Numbers are
// in the processor's order.
const (
	messageSize = 128
	version     = 2 << 8
)

const (
	typeAck        = 1
	typeHello      = 2
	typeInit       = 3
	typeAddRegion  = 4
	typeAddRing    = 5
	typeConnect    = 6
	typeConnected  = 7
	typeDisconnect = 8
)

// hello offers one region, one ring each way, and rings of the sizes that DPDK has.
func hello() []byte {
	const maxLogRing = 14
	m := make([]byte, messageSize)
	binary.LittleEndian.PutUint16(m, typeHello)
	copy(m[2:], "sealburst")
	binary.LittleEndian.PutUint16(m[34:], version) // the least
	binary.LittleEndian.PutUint16(m[36:], version) // the greatest
	m[44] = maxLogRing                             // the highest numbers of regions and rings stay 0
	return m
}

func message(kind uint16) []byte {
	m := make([]byte, messageSize)
	binary.LittleEndian.PutUint16(m, kind)
	return m
}

// receive reads one message, with the file that came with it, or -1.
func receive(c *net.UnixConn) (m []byte, file int, err error) {
	m, control := make([]byte, messageSize), make([]byte, unix.CmsgSpace(2*4)+unix.CmsgSpace(unix.SizeofUcred))
	n, oob, _, _, err := c.ReadMsgUnix(m, control)
	if err != nil {
		return nil, -1, err
	}
	files, err := passed(control[:oob])
	switch {
	case err != nil:
	case n < messageSize:
		err = fmt.Errorf("%w: a message of %d bytes", ErrProtocol, n)
	case len(files) > 1:
		err = fmt.Errorf("%w: %d files with a message", ErrProtocol, len(files))
	case len(files) == 1:
		return m, files[0], nil
	}
	for _, file := range files { // nobody else will
		_ = unix.Close(file)
	}
	return m, -1, err
}

// passed are the files among control messages.
func passed(control []byte) (files []int, err error) {
	all, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return nil, fmt.Errorf("memif: %w", err)
	}
	for i := range all {
		if some, err := unix.ParseUnixRights(&all[i]); err == nil { // others carry credentials
			files = append(files, some...)
		}
	}
	return files, nil
}
