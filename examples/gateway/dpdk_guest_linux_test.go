//go:build dpdk

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// guest is a virtual machine with network cards, whose files are those of this machine. It
// runs scripts from a folder that both have, and leaves there what they print.
type guest struct {
	t       *testing.T
	machine *process
	folder  string
	scripts int
}

// guestPatience is more than anything takes in emulation on the busiest machine.
const guestPatience = 3 * time.Minute

// guestBegin runs scripts 1.sh, 2.sh and so on, as they come, side by side.
const guestBegin = `cd /guest
ip link set lo up
touch ready
for n in $(seq 100); do
	while [ ! -e $n.sh ]; do sleep 0.1; done
	(sh $n.sh >$n.out 2>$n.err; echo $? >$n.new; mv $n.new $n.code) &
done
`

// newGuest boots a guest in a namespace, with further flags of QEMU for its cards, which may be
// behind an IOMMU. QEMU emulates the processor too: it is the same everywhere, and starts where
// KVM is there but takes no kernel that was not made for it.
func newGuest(t *testing.T, namespace string, iommu bool, cards ...string) *guest {
	t.Helper()
	out, err := exec.Command("testdata/guest.sh", "-built").Output()
	if err != nil {
		t.Skip("there is no guest for QEMU; testdata/guest.sh makes it")
	}
	made := strings.TrimSpace(string(out))
	g := &guest{t: t, folder: t.TempDir()}
	g.write("begin", guestBegin)
	flags := []string{
		"qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024",
		"-kernel", filepath.Join(made, "kernel"), "-initrd", filepath.Join(made, "initrd"), "-append", "console=ttyS0 panic=-1 quiet intel_iommu=on",
		"-nodefaults", "-no-reboot", "-display", "none", "-serial", "stdio",
		"-fsdev", "local,id=files,path=/,security_model=none,readonly=on,multidevs=remap", "-device", "virtio-9p-pci,fsdev=files,mount_tag=files,addr=2",
		"-fsdev", "local,id=guest,path=" + g.folder + ",security_model=none", "-device", "virtio-9p-pci,fsdev=guest,mount_tag=guest,addr=3",
	}
	if iommu {
		cards = append(cards, "-device", "intel-iommu")
	}
	g.machine = start(t, in(namespace, append(flags, cards...)...))
	t.Cleanup(func() {
		_ = g.machine.cmd.Process.Kill()
		_ = g.machine.ended(t)
	})
	g.wait("ready")
	return g
}

func (g *guest) write(name, text string) {
	g.t.Helper()
	path := filepath.Join(g.folder, name)
	err := errors.Join(os.WriteFile(path+".new", []byte(text), 0o600), os.Rename(path+".new", path))
	if err != nil {
		g.t.Fatal(err)
	}
}

// read is a file of the guest's folder, empty if it is not there yet.
func (g *guest) read(name string) string {
	text, err := os.ReadFile(filepath.Join(g.folder, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		g.t.Error(err)
	}
	return string(text)
}

// wait waits until the guest has written a file.
func (g *guest) wait(name string) { g.t.Helper(); g.waitFor(name, "") }

// waitFor waits until a file has some text in it.
func (g *guest) waitFor(name, text string) {
	g.t.Helper()
	for end := time.Now().Add(guestPatience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(g.folder, name)); err == nil && strings.Contains(g.read(name), text) {
			return
		}
		if script, ok := strings.CutSuffix(name, ".err"); ok && g.read(script+".code") != "" {
			g.t.Fatalf("script %s ends:\n%s", g.read(script+".sh"), g.read(name))
		}
		select {
		case err := <-g.machine.done:
			g.machine.done <- err
			g.t.Fatalf("the guest is over: %v\n%s%s", err, g.machine.stdout.String(), g.machine.log())
		default:
		}
	}
	g.t.Fatalf("the guest does not write %q to %s:\n%s\n%s", text, name, g.read(name), g.machine.stdout.String())
}

// begin runs a script, and returns its number.
func (g *guest) begin(script string) (number int) {
	g.t.Helper()
	g.scripts++
	g.write(fmt.Sprintf("%d.sh", g.scripts), script)
	return g.scripts
}

// end waits for the end of a script, and returns what it printed.
func (g *guest) end(number int) string {
	g.t.Helper()
	name := fmt.Sprint(number)
	g.wait(name + ".code")
	if code := g.read(name + ".code"); code != "0\n" {
		g.t.Fatalf("script %s ends with %s%s%s", g.read(name+".sh"), code, g.read(name+".out"), g.read(name+".err"))
	}
	return g.read(name + ".out")
}

func (g *guest) run(script string) string { g.t.Helper(); return g.end(g.begin(script)) }

// gateway runs a gateway on cards, until stop.
func (g *guest) gateway(flags ...string) (number int) {
	g.t.Helper()
	number = g.begin(fmt.Sprintf("echo $$ >%d.pid\nexec env %s=yes %s dpdk -json %s\n", g.scripts+1, asGateway, dpdkBinary(g.t), strings.Join(flags, " ")))
	g.waitFor(fmt.Sprintf("%d.err", number), `"msg":"serving"`)
	return number
}

// stop stops a gateway, and reads its totals.
func (g *guest) stop(number int) (sum dpdkTotalsRead) {
	g.t.Helper()
	g.run(fmt.Sprintf("kill $(cat %d.pid)", number))
	if err := json.Unmarshal([]byte(g.end(number)), &sum); err != nil {
		g.t.Fatal(err)
	}
	return sum
}
