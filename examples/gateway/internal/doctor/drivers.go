package doctor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// driver is one of DPDK's, as its library describes it.
type driver struct {
	Name string
	PCI  [][]uint32 `json:"pci_ids"` // vendor and device, and those of the subsystem
}

// drives reports whether it is for a device on PCI.
func (d *driver) drives(vendor, device uint32) bool {
	for _, id := range d.PCI {
		if len(id) >= 2 && id[0] == vendor && id[1] == device {
			return true
		}
	}
	return false
}

// driverFolders are where the packages of Debian, of Fedora, and who builds DPDK put its drivers.
var driverFolders = []string{"usr/lib/*/dpdk/pmds-*", "usr/lib64/dpdk-pmds", "usr/lib64/dpdk/pmds-*", "usr/local/lib/*/dpdk/pmds-*", "usr/local/lib64/dpdk/pmds-*"}

// drivers are those that DPDK loads on this machine, for network and crypto devices.
func (m *Machine) drivers() (all []driver) {
	seen := map[string]bool{}
	for _, folder := range driverFolders {
		for _, kind := range []string{"net", "crypto", "common"} {
			files, err := fs.Glob(m.Root, path.Join(folder, "librte_"+kind+"_*.so.*.*"))
			if err != nil {
				continue // no such folder
			}
			for _, file := range files {
				for _, d := range m.driversIn(file) {
					if !seen[d.Name] {
						seen[d.Name] = true
						all = append(all, d)
					}
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b driver) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// driversIn are those that a library says it has: for each there is a text in it, for
// dpdk-pmdinfo.py to find.
func (m *Machine) driversIn(file string) (all []driver) {
	content, err := fs.ReadFile(m.Root, file)
	if err != nil {
		return nil
	}
	for {
		_, rest, found := bytes.Cut(content, []byte("PMD_INFO_STRING= "))
		if !found {
			return all
		}
		content = rest
		text, _, _ := bytes.Cut(rest, []byte{0})
		var d driver
		if json.Unmarshal(text, &d) == nil {
			all = append(all, d)
		}
	}
}

// driverFindings tell which drivers there are. Without DPDK nobody asks for them.
func (m *Machine) driverFindings(all []driver) (findings []Finding) {
	if m.version() == "" {
		return nil
	}
	for _, kind := range []struct{ name, prefix, without string }{
		{"DPDK's network devices", "net_", "nothing to run on"},
		{"DPDK's crypto devices", "crypto_", "the engine's own backends serve"},
	} {
		var made []string
		cards := 0
		for _, d := range all {
			switch {
			case !strings.HasPrefix(d.Name, kind.prefix):
			case len(d.PCI) == 0:
				made = append(made, d.Name)
			default:
				cards++
			}
		}
		f := Finding{kind.name, Good, fmt.Sprintf("%d drivers of cards on PCI", cards), ""}
		if len(made) != 0 {
			f.Text = strings.Join(made, " ") + "; and " + f.Text
		}
		if len(made) == 0 && cards == 0 {
			f.State, f.Text, f.Fix = Missing, "no drivers found: "+kind.without, install
		}
		findings = append(findings, f)
	}
	return findings
}

// version is that of DPDK: the build's, or else the machine's; empty for none.
func (m *Machine) version() string {
	if m.DPDK != "" {
		return m.DPDK
	}
	files, err := fs.Glob(m.Root, "usr/lib/*/pkgconfig/libdpdk.pc")
	if err != nil {
		return ""
	}
	for _, file := range files {
		for _, line := range m.lines(file) {
			if version, ok := strings.CutPrefix(line, "Version:"); ok {
				return "DPDK " + strings.TrimSpace(version)
			}
		}
	}
	if m.has("usr/include/dpdk/rte_eal.h") {
		return "DPDK of unknown version"
	}
	return ""
}
