package memif

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"golang.org/x/sys/unix"
)

// testpmd is DPDK's own program at the other end, which sends back what it receives.
func testpmd(t *testing.T, parameters string) (*Link, *exec.Cmd) {
	t.Helper()
	peertest.Program(t, "dpdk-testpmd")
	path := filepath.Join(t.TempDir(), "s")
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	cmd := exec.Command("dpdk-testpmd", "--no-huge", "-m", "128", "--no-pci", "--no-shconf", "--no-telemetry", "--lcores", "0@0,1@0",
		"--vdev=net_memif0,role=client,socket-abstract=no,socket="+path+parameters, "--",
		"--nb-cores=1", "--total-num-mbufs=4096", "--auto-start", "--forward-mode=io", "--no-flush-rx", "--no-lsc-interrupt")
	stdin, err := cmd.StdinPipe() // it ends when it has nothing to read
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})
	timeout := time.AfterFunc(30*time.Second, func() { l.Close() })
	defer timeout.Stop()
	link, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { link.Close() })
	return link, cmd
}

func frame(number int) []byte {
	f := make([]byte, 60+number%1400)
	for i := range f {
		f[i] = byte(number + 3*i)
	}
	return f
}

// TestFramesComeBackFromDPDK as they were sent, in order, round the ring several times.
func TestFramesComeBackFromDPDK(t *testing.T) {
	link, _ := testpmd(t, ",rsize=8")
	const frames, outstanding = 2000, 64
	if link.Room() != 256 {
		t.Fatalf("a ring of %d", link.Room())
	}
	sent, got := 0, 0
	for end := time.Now().Add(30 * time.Second); got < frames && time.Now().Before(end); {
		for sent < frames && sent-got < outstanding && link.Send(frame(sent)) {
			sent++
		}
		link.Receive(func(f []byte) {
			if !bytes.Equal(f, frame(got)) {
				t.Fatalf("frame %d is %x", got, f)
			}
			got++
		})
	}
	if got != frames {
		t.Errorf("sent %d, got %d", sent, got)
	}
	if link.Send(make([]byte, 3000)) {
		t.Error("a frame that no buffer holds was sent")
	}
}

// TestSkippedFramesAreGivenBack so that the other end goes on, and its end is seen.
func TestSkippedFramesAreGivenBack(t *testing.T) {
	link, cmd := testpmd(t, "")
	skipped := 0
	for end := time.Now().Add(30 * time.Second); skipped < 3*link.Room() && time.Now().Before(end); skipped += link.Skip() {
		link.Send(frame(1))
	}
	if skipped < 3*link.Room() {
		t.Errorf("%d came", skipped)
	}
	_ = cmd.Process.Kill()
	link.Gone()
}

// TestStrangersAreRefused, whatever they say.
func TestStrangersAreRefused(t *testing.T) {
	region := message(typeAddRegion)
	binary.LittleEndian.PutUint64(region[4:], 1<<20)
	odd := message(typeInit)
	odd[3] = 3
	for name, said := range map[string][][]byte{
		"another version":         {odd},
		"no rings":                {message(typeConnect)},
		"a region without a file": {region},
		"a ring nowhere":          {message(typeAddRing)},
		"a message of another":    {message(99)},
		"half a message":          {{1, 0}},
	} {
		l, err := Listen(filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.DialUnix("unixpacket", nil, l.socket.Addr().(*net.UnixAddr))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range said {
			if _, err := c.Write(m); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.Accept(); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
		l.Close()
	}
}

// TestFilesOfBadMessagesAreClosed, or a stranger could use them all up.
func TestFilesOfBadMessagesAreClosed(t *testing.T) {
	for _, c := range []struct{ size, files int }{{2, 1}, {messageSize, 2}} {
		l, err := Listen(filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Fatal(err)
		}
		stranger, err := net.DialUnix("unixpacket", nil, l.socket.Addr().(*net.UnixAddr))
		if err != nil {
			t.Fatal(err)
		}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		rights := unix.UnixRights(slices.Repeat([]int{int(write.Fd())}, c.files)...)
		if _, _, err := stranger.WriteMsgUnix(message(typeAck)[:c.size], rights, nil); err != nil {
			t.Fatal(err)
		}
		write.Close()
		if _, err := l.Accept(); !errors.Is(err, ErrProtocol) {
			t.Errorf("%+v: %v", c, err)
		}
		if err := read.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := read.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
			t.Errorf("%+v: somebody still has the file: %v", c, err)
		}
		read.Close()
		stranger.Close()
		l.Close()
	}
}

// TestBadRings lie outside their region, or are none.
func TestBadRings(t *testing.T) {
	region := make([]byte, 4096)
	binary.LittleEndian.PutUint32(region, cookie)
	if _, err := newRing(region, 0, 7); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		offset  uint32
		logSize byte
	}{{0, 8}, {64, 7}, {4096, 0}, {1<<32 - 64, 0}, {8, 0}, {0, 200}, {128, 1}} {
		if _, err := newRing(region, c.offset, c.logSize); !errors.Is(err, ErrProtocol) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestWildDescriptors show no memory that is not the region's.
func TestWildDescriptors(t *testing.T) {
	region := make([]byte, 1024)
	binary.LittleEndian.PutUint32(region, cookie)
	in, err := newRing(region, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range []descriptor{{offset: 1000, length: 25}, {region: 1, length: 1}, {flags: moreFlag, length: 4}, {length: 4}} {
		*in.at(i) = d
	}
	binary.LittleEndian.PutUint16(region[6:], 60000) // more than there are
	l := &Link{in: in}
	if n := l.Receive(func(f []byte) {
		if f != nil {
			t.Errorf("%x", f)
		}
	}); n != 4 {
		t.Errorf("%d frames", n)
	}
	if tail := binary.LittleEndian.Uint16(region[tailAt:]); tail != 4 {
		t.Errorf("tail %d", tail)
	}
}

// memory is a file as other ends share it.
func memory(t *testing.T, size int64, seals int) (file int) {
	t.Helper()
	file, err := unix.MemfdCreate("region", unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(file) })
	if err := unix.Ftruncate(file, size); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(uintptr(file), unix.F_ADD_SEALS, seals); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRegionThatMayVanish would kill this process when it is read: one that is longer than
// its file, and one in a file that could be made shorter.
func TestRegionThatMayVanish(t *testing.T) {
	const size = 1 << 20
	disk, err := os.Create(filepath.Join(t.TempDir(), "region"))
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if err := disk.Truncate(size); err != nil {
		t.Fatal(err)
	}
	m := message(typeAddRegion)
	binary.LittleEndian.PutUint64(m[4:], size)
	for name, c := range map[string]struct {
		file int
		want error
	}{
		"longer than its file":   {memory(t, size-1, unix.F_SEAL_SHRINK), ErrProtocol},
		"not sealed":             {memory(t, size, 0), ErrUnsealed},
		"sealed against growing": {memory(t, size, unix.F_SEAL_GROW), ErrUnsealed},
		"on a disk":              {int(disk.Fd()), ErrUnsealed},
		"sealed":                 {memory(t, size, unix.F_SEAL_SHRINK), nil},
	} {
		link := &Link{}
		if err := link.addRegion(m, c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if mapped := link.region != nil; mapped != (c.want == nil) {
			t.Errorf("%s: mapped: %v", name, mapped)
		}
		if link.region != nil {
			if err := unix.Munmap(link.region); err != nil {
				t.Error(err)
			}
		}
	}
}
