package tun

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"testing"

	"github.com/sealburst/sealburst/examples/gateway/internal/port"
	"github.com/sealburst/sealburst/record"
	"golang.org/x/sys/unix"
	wgtun "golang.zx2c4.com/wireguard/tun"
)

var _ port.Port = (*Port)(nil)

// device is a TUN device whose reads and writes the test decides.
type device struct {
	wgtun.Device
	reads  [][][]byte // the packets of each read
	faults []error    // before each read
	wrote  [][]byte
	failed error
}

func (d *device) BatchSize() int { return 128 }

func (d *device) Read(bufs [][]byte, sizes []int, offset int) (int, error) {
	if len(d.faults) > 0 {
		fault := d.faults[0]
		d.faults = d.faults[1:]
		return 0, fault
	}
	if len(d.reads) == 0 {
		return 0, os.ErrClosed
	}
	packets := d.reads[0]
	d.reads = d.reads[1:]
	for i, packet := range packets {
		sizes[i] = len(packet)
		copy(bufs[i][offset:], packet)
	}
	return len(packets), nil
}

func (d *device) Write(bufs [][]byte, offset int) (int, error) {
	for _, b := range bufs {
		d.wrote = append(d.wrote, append([]byte(nil), b[offset:]...))
	}
	return len(bufs), d.failed
}

func segments(n int) (all [][]byte) {
	for i := range n {
		all = append(all, fmt.Appendf(nil, "segment %d", i))
	}
	return all
}

// receive drains a port.
func receive(t *testing.T, p *Port, burst int) (got []string, bursts int) {
	t.Helper()
	in := port.NewBurst(burst, 1400)
	for {
		n, err := p.Receive(in)
		if errors.Is(err, net.ErrClosed) {
			return got, bursts
		}
		if err != nil {
			t.Fatal(err)
		}
		bursts++
		for i := range n {
			got = append(got, string(in[i].Content()))
		}
	}
}

func TestOneReadMayBringMoreThanABurst(t *testing.T) {
	for _, burst := range []int{1, 40, port.MaxBurst} {
		d := &device{reads: [][][]byte{segments(122), segments(1), segments(0), segments(64), segments(65)}}
		got, _ := receive(t, newPort(d, "test", 1400), burst)
		want := append(append(append(segments(122), segments(1)...), segments(64)...), segments(65)...)
		if len(got) != len(want) {
			t.Fatalf("burst %d: %d packets, want %d", burst, len(got), len(want))
		}
		for i := range want {
			if got[i] != string(want[i]) {
				t.Fatalf("burst %d: packet %d is %q, want %q", burst, i, got[i], want[i])
			}
		}
	}
}

func TestReceiveOverlooksOnePacketsFault(t *testing.T) {
	d := &device{faults: []error{errors.New("unsupported virtio GSO type"), wgtun.ErrTooManySegments}, reads: [][][]byte{segments(2)}}
	if got, _ := receive(t, newPort(d, "test", 1400), 8); len(got) != 2 {
		t.Errorf("%d packets", len(got))
	}
	broken := &fs.PathError{Op: "read", Path: "tun", Err: unix.EBADFD}
	d = &device{faults: []error{broken}}
	if _, err := newPort(d, "test", 1400).Receive(port.NewBurst(1, 1400)); !errors.Is(err, unix.EBADFD) {
		t.Errorf("a broken device: %v", err)
	}
}

func TestSendLeavesOutWhatTheDeviceWouldChokeOn(t *testing.T) {
	d := &device{}
	p := newPort(d, "test", 1400)
	burst := port.NewBurst(4, 1400)
	port.Put(&burst[0], []byte("first"))
	port.Put(&burst[1], nil)
	port.Put(&burst[2], []byte("dropped"))
	burst[2].Drop = record.DropReplayed
	port.Put(&burst[3], []byte("last"))
	if n, err := p.Send(burst); n != 2 || err != nil || burst[1].Drop != record.DropTruncated {
		t.Errorf("sent %d, %v; the empty one %v", n, err, burst[1].Drop)
	}
	if len(d.wrote) != 2 || string(d.wrote[0]) != "first" || string(d.wrote[1]) != "last" {
		t.Errorf("wrote %q", d.wrote)
	}
}

func TestSendFailsOnlyWhenClosed(t *testing.T) {
	burst := port.NewBurst(1, 1400)
	port.Put(&burst[0], []byte("packet"))
	if _, err := newPort(&device{failed: unix.EINVAL}, "test", 1400).Send(burst); err != nil {
		t.Errorf("a packet that the system refuses: %v", err)
	}
	if _, err := newPort(&device{failed: os.ErrClosed}, "test", 1400).Send(burst); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed device: %v", err)
	}
}

func TestOpenErrorsSayWhatIsMissing(t *testing.T) {
	for err, want := range map[error]string{
		fs.ErrPermission: "tun: cannot open device x: this needs root or CAP_NET_ADMIN: permission denied",
		unix.EBUSY:       "tun: cannot open device x: it is in use: device or resource busy",
	} {
		if got := openError("x", err).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
