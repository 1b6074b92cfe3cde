//go:build dpdk

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest/peertest"
	"golang.org/x/sys/unix"
)

// idle are flags of a gateway between devices to which nothing comes, which ends at once.
func idle(t *testing.T, more ...string) []string {
	t.Helper()
	return append(append([]string{"dpdk", "-time", "10ms", "-await", "0s"},
		wireFor("net_null0,no-rx=1", "net_null1,no-rx=1", write(t, "a.sa", []byte(wireOut)))...), more...)
}

// TestDPDKSaysWhereItsMemoryLies in one line, with hugepages or without.
func TestDPDKSaysWhereItsMemoryLies(t *testing.T) {
	for _, c := range []struct{ eal, want string }{
		{"-eal=--no-huge -m 64", "memory is in ordinary pages, as --no-huge says"},
		{"-eal=--no-telemetry", "memory is in "}, // as this machine has it
	} {
		cmd := exec.Command(dpdkBinary(t), idle(t, c.eal, "-buffers", "4096")...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, stderr.String())
		}
		if text := stderr.String(); strings.Count(text, "memory is in ") != 1 || !strings.Contains(text, c.want) {
			t.Errorf("%s: %s", c.eal, text)
		}
	}
}

const hugePage = 2 << 20

// hugePages lets the kernel give so many hugepages out, until the end of the test, and returns
// what to put before a command for it to see them as free. No other program does, and so none
// takes them: to all of them the machine has as many as before.
func hugePages(t *testing.T, pages int) (seeing []string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root has the kernel give hugepages out")
	}
	peertest.Program(t, "unshare")
	const system = "/sys/kernel/mm/hugepages"
	if _, err := os.Stat(system + "/hugepages-2048kB"); err != nil {
		t.Skip("this machine has no hugepages of 2 MiB: ", err)
	}
	giveOut(t, pages)
	dir := t.TempDir()
	for name, n := range map[string]int{"free": pages, "nr": pages, "resv": 0, "surplus": 0, "nr_overcommit": 0} {
		file := filepath.Join(dir, "hugepages-2048kB", name+"_hugepages")
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, fmt.Appendln(nil, n), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	seeing = []string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" ` + system + ` && exec "$@"`, dir}
	if out, err := exec.Command(seeing[0], append(seeing[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("this machine lets nobody mount: %v: %s", err, out)
	}
	return seeing
}

// giveOut raises the number of hugepages that the kernel makes when a program asks for them.
func giveOut(t *testing.T, pages int) {
	t.Helper()
	const limit = "/proc/sys/vm/nr_overcommit_hugepages"
	file, err := os.OpenFile(limit, os.O_RDWR, 0)
	if err != nil {
		t.Skip("this machine gives no hugepages out: ", err)
	}
	t.Cleanup(func() { file.Close() })
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil { // others of this test wait
		t.Fatal(err)
	}
	before, err := os.ReadFile(limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		now, err := os.ReadFile(limit)
		if err = errors.Join(err, os.WriteFile(limit, before, 0)); err != nil {
			t.Errorf("%s was %s and stays %s: %v", limit, before, now, err)
		}
	})
	var n int
	if _, err := fmt.Sscan(string(before), &n); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(limit, fmt.Append(nil, n+pages), 0); err != nil {
		t.Skip("this machine gives no hugepages out: ", err)
	}
	memory, err := unix.Mmap(-1, 0, pages*hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_HUGETLB)
	if err != nil {
		t.Skipf("the kernel finds no memory for %d hugepages: %v", pages, err)
	}
	if err := unix.Munmap(memory); err != nil {
		t.Fatal(err)
	}
}

// inHugePages is how much of a process's memory is in hugepages.
func inHugePages(t *testing.T, pid int) (bytes int) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var name string
		var kB int
		if n, _ := fmt.Sscan(line, &name, &kB); n == 2 && strings.HasSuffix(name, "_Hugetlb:") {
			bytes += kB << 10
		}
	}
	return bytes
}

// TestHugepagesOfDPDK are used without being asked for, and the gateway and its doctor say
// so. The frames of a tunnel lie in them.
func TestHugepagesOfDPDK(t *testing.T) {
	const pages, packets, least = 64, 20, 30 << 20 // bytes of the frames' buffers
	gateway := append(hugePages(t, pages), dpdkBinary(t))
	if text := command(t, append(gateway, "doctor")...); !strings.Contains(text, fmt.Sprintf("ok      hugepages: %d MiB are free\n", pages*hugePage>>20)) {
		t.Errorf("the doctor says:\n%s", text)
	}
	g := startDTLSGateway(t, gateway, 1, "-log", "info")
	one, err := g.clients.connect(t.Context(), 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, g.log())
	}
	if err := g.plain.talk(one, packets); err != nil {
		t.Error(err)
	}
	if taken := inHugePages(t, g.cmd.Process.Pid); taken < least {
		t.Errorf("%d bytes of the gateway are in hugepages", taken)
	}
	if log := g.log(); strings.Count(log, "hugepages") != 1 || !strings.Contains(log, ": memory is in hugepages") {
		t.Errorf("%s", log)
	}
	sum := totalsOf(g.process)
	sum.Out.account(t, "plain", g.plain.sent, packets, nil)
	sum.In.account(t, "protected", g.clients.packets.Load(), packets, map[string]uint64{"replayed": 1, "unauthentic": 1})

	args := append(gateway, idle(t, "-log", "error", "-buffers", "500000")...)
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err == nil || !strings.HasPrefix(string(out), "gateway: dpdk: no memory for 500000 buffers") || !strings.Contains(string(out), "sysctl -w vm.nr_hugepages") || bytes.Count(out, []byte("\n")) != 1 {
		t.Errorf("more than there are: %v, %s", err, out)
	}
}
