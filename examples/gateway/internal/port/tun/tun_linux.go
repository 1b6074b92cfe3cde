package tun

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"sync"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
	"golang.org/x/sys/unix"
	wgtun "golang.zx2c4.com/wireguard/tun"
)

const (
	virtioHeader = 10        // room before a packet that the device writes its header in
	maxJoined    = 1<<16 - 1 // the longest packet, of a stream that is joined too
)

// Port is a TUN device. One read brings up to 64 KiB of a TCP stream, which is
// cut into packets here; a burst that is written is joined again.
type Port struct {
	device wgtun.Device
	name   string

	bufs  [][]byte // where a read may put packets: the caller's buffers, then spare
	sizes []int
	spare [][]byte
	from  int // the first of the spare packets that wait for a Receive
	until int

	mu    sync.Mutex // guards what follows
	stage [][]byte   // where packets lie while they are written
	out   [][]byte
}

// Open makes the device and sets it up. It needs CAP_NET_ADMIN.
func Open(c Config) (*Port, error) {
	device, err := wgtun.CreateTUN(c.Name, c.MTU)
	if err != nil {
		return nil, openError(c.Name, err)
	}
	name, err := device.Name()
	if err == nil {
		err = configure(name, c)
	}
	if err != nil {
		device.Close()
		return nil, fmt.Errorf("tun: cannot set up %s: %w", name, err)
	}
	go drain(device.Events())
	return newPort(device, name, c.MTU), nil
}

func openError(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("tun: cannot open device %s: this needs root or CAP_NET_ADMIN: %w", name, err)
	case errors.Is(err, unix.EBUSY):
		return fmt.Errorf("tun: cannot open device %s: it is in use: %w", name, err)
	}
	return fmt.Errorf("tun: cannot open device %s: %w", name, err)
}

// drain takes the device's news, which nobody needs but which must be taken.
func drain(events <-chan wgtun.Event) {
	for range events {
	}
}

func newPort(device wgtun.Device, name string, mtu int) *Port {
	batch := device.BatchSize()
	p := &Port{device: device, name: name, spare: make([][]byte, batch), sizes: make([]int, port.MaxBurst+batch)}
	size := port.Headroom + mtu
	arena := make([]byte, batch*size)
	for i := range p.spare {
		p.spare[i] = arena[i*size:][:size:size]
	}
	p.stage = make([][]byte, port.MaxBurst)
	for i := range p.stage {
		p.stage[i] = make([]byte, 0, virtioHeader+maxJoined)
	}
	return p
}

// Name is the device's name.
func (p *Port) Name() string { return p.name }

// Receive waits for packets.
func (p *Port) Receive(burst []record.Datagram) (int, error) {
	if p.from < p.until {
		return p.handSpare(burst), nil
	}
	for {
		n, err := p.device.Read(p.arrange(burst), p.sizes, port.Headroom)
		if err != nil && fatal(err) {
			return 0, closedError(err)
		}
		if n > 0 {
			return p.accept(burst, n), nil
		}
	}
}

// arrange lists the caller's buffers and then the spare ones, so that what one
// read brings beyond the burst is kept.
func (p *Port) arrange(burst []record.Datagram) [][]byte {
	burst = burst[:min(len(burst), port.MaxBurst)]
	p.bufs = p.bufs[:0]
	for i := range burst {
		p.bufs = append(p.bufs, burst[i].Buf)
	}
	p.bufs = append(p.bufs, p.spare...)
	return p.bufs
}

func (p *Port) accept(burst []record.Datagram, n int) int {
	mine := min(n, len(burst), port.MaxBurst)
	for i := range mine {
		d := &burst[i]
		d.Off, d.Len, d.Drop = port.Headroom, p.sizes[i], record.DropNone
		if !d.Valid() {
			d.Len, d.Drop = 0, record.DropTooLong
		}
	}
	p.from, p.until = 0, n-mine
	copy(p.sizes, p.sizes[mine:n])
	return mine
}

func (p *Port) handSpare(burst []record.Datagram) int {
	n := min(p.until-p.from, len(burst))
	for i := range n {
		port.Put(&burst[i], p.spare[p.from][port.Headroom:][:p.sizes[p.from]])
		p.from++
	}
	return n
}

// Send writes packets. Only a closed device is an error: the system refuses single
// packets, one that is malformed for instance, and these are lost. Any number of
// goroutines may send.
func (p *Port) Send(burst []record.Datagram) (sent int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(burst) > 0 {
		n := min(len(burst), len(p.stage))
		packets := p.gather(burst[:n])
		burst = burst[n:]
		if len(packets) == 0 {
			continue
		}
		if _, err := p.device.Write(packets, virtioHeader); errors.Is(err, os.ErrClosed) {
			return sent, net.ErrClosed
		}
		sent += len(packets)
	}
	return sent, nil
}

// gather copies packets to where there is room before them for the device's header
// and behind them for the packets that it joins to them.
func (p *Port) gather(burst []record.Datagram) [][]byte {
	p.out = p.out[:0]
	for i := range burst {
		d := &burst[i]
		switch {
		case d.Drop != record.DropNone:
		case d.Len == 0:
			d.Drop = record.DropTruncated
		case d.Len > maxJoined:
			d.Drop = record.DropTooLong
		default:
			stage := p.stage[len(p.out)]
			n := copy(stage[virtioHeader:cap(stage)], d.Content())
			p.out = append(p.out, stage[:virtioHeader+n])
		}
	}
	return p.out
}

// Close takes the device down.
func (p *Port) Close() error { return p.device.Close() }

// fatal tells the device's own errors from those of one packet, which may be cut
// in a way that the device does not know.
func fatal(err error) bool {
	var fault *fs.PathError
	return errors.As(err, &fault) || errors.Is(err, os.ErrClosed) || errors.Is(err, io.EOF)
}

func closedError(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, fs.ErrClosed) {
		return net.ErrClosed
	}
	return err
}
