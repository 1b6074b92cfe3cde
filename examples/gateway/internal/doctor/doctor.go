// Package doctor says what a machine offers a gateway, what is missing, and the command
// that mends it. It changes nothing.
package doctor

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
	"github.com/sealburst/sealburst/engine"
)

// State says how something is.
type State string

// The states.
const (
	Good    State = "ok"
	Slower  State = "note"    // it works, and could be better
	Missing State = "missing" // something does not work without it
)

// Finding is one thing that was looked at.
type Finding struct {
	Subject string `json:"subject"`
	State   State  `json:"state"`
	Text    string `json:"text"`
	Fix     string `json:"fix,omitempty"` // a command, or empty
}

// Machine is what is looked at.
type Machine struct {
	Root     fs.FS  // the file system from / on
	OS       string // as Go names it
	User     int    // -1 where there is none
	Report   engine.Report
	DPDK     string // the build's version of DPDK, or empty
	HugePage int64  // bytes free in hugepages
	Pin      error  // why the environment's choice of backends cannot be kept, or nil
	Devices  []CryptoDevice
}

// CryptoDevice is one that the environment names.
type CryptoDevice struct {
	Name string
	Err  error // why it cannot be used, or nil
}

// Here is the machine at hand.
func Here(r engine.Report) Machine {
	return Machine{
		Root: os.DirFS("/"), OS: runtime.GOOS, User: os.Getuid(), Report: r,
		DPDK: eal.Version(), HugePage: eal.FreeHugePages(), Devices: cryptoDevices(os.Getenv(engine.EnvDevices)),
	}
}

// Examine looks at everything.
func (m *Machine) Examine() []Finding {
	all := append([]Finding{m.processor(), m.backends()}, m.environment()...)
	if m.OS != "linux" {
		return append(all, Finding{"system", Slower, m.OS + ": TUN, AF_PACKET and DPDK are for Linux alone", ""})
	}
	drivers := m.drivers()
	all = append(all, m.dpdk(), m.hugepages())
	all = append(all, m.driverFindings(drivers)...)
	all = append(all, m.privileges()...)
	all = append(all, m.tun())
	return append(all, m.cards(drivers)...)
}

func (m *Machine) processor() Finding {
	name := runtime.GOARCH
	for _, line := range m.lines("proc/cpuinfo") {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			name = strings.TrimSpace(value)
			break
		}
	}
	f := Finding{"processor", Good, name + ": " + strings.Join(m.Report.CPU, " "), ""}
	if len(m.Report.CPU) == 0 {
		f.State, f.Text = Slower, name+": none of the features that the fast backends use"
	}
	return f
}

// backends names those that serve something, the most algorithms first served first.
func (m *Machine) backends() Finding {
	serves := map[string]int{}
	var order []string
	for _, a := range m.Report.Algorithms {
		if serves[a.Backend] == 0 {
			order = append(order, a.Backend)
		}
		serves[a.Backend]++
	}
	var parts []string
	for _, name := range order {
		parts = append(parts, fmt.Sprintf("%s serves %s", name, algorithms(serves[name])))
	}
	f := Finding{"backends", Good, strings.Join(parts, ", "), ""}
	if len(order) == 1 && order[0] == "std" {
		f.State, f.Text = Slower, "std alone, which works everywhere and is slow with short packets"
	}
	return f
}

func algorithms(n int) string {
	if n == 1 {
		return "1 algorithm"
	}
	return fmt.Sprintf("%d algorithms", n)
}

// lines are those of a file, none where it cannot be read.
func (m *Machine) lines(path string) []string {
	text, err := fs.ReadFile(m.Root, path)
	if err != nil {
		return nil
	}
	return strings.Split(string(text), "\n")
}

// word is the content of a file of one line.
func (m *Machine) word(path string) string {
	text, err := fs.ReadFile(m.Root, path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Print writes findings for people.
func Print(to io.Writer, all []Finding) {
	for _, f := range all {
		fmt.Fprintf(to, "%-8s%s: %s\n", f.State, f.Subject, f.Text)
		if f.Fix != "" {
			fmt.Fprintf(to, "%8s%s\n", "", f.Fix)
		}
	}
}
