package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const (
	install   = "apt-get install --no-install-recommends dpdk libdpdk-dev gcc pkg-config"
	rebuild   = "go build -tags dpdk ./examples/gateway"
	reserve   = "sysctl -w vm.nr_hugepages=256"
	leastHuge = 64 << 20 // bytes that DPDK is started with
)

// dpdk says whether this build has DPDK, and else whether the machine has it.
func (m *Machine) dpdk() Finding {
	if m.DPDK != "" {
		return Finding{"DPDK", Good, m.DPDK, ""}
	}
	if m.has("usr/include/dpdk/rte_eal.h") {
		return Finding{"DPDK", Missing, "the machine has it, and this build does not", rebuild}
	}
	return Finding{"DPDK", Missing, "neither this build nor the machine has it", install + " && " + rebuild}
}

func (m *Machine) has(name string) bool {
	_, err := fs.Stat(m.Root, name)
	return err == nil
}

func (m *Machine) hugepages() Finding {
	if m.HugePage >= leastHuge {
		return Finding{"hugepages", Good, fmt.Sprintf("%d MiB are free", m.HugePage>>20), ""}
	}
	return Finding{"hugepages", Slower, fmt.Sprintf("%d MiB are free; DPDK runs in ordinary pages, somewhat slower, and network cards do not", m.HugePage>>20), reserve}
}

// capabilities that a gateway may want, by their bit in the kernel's mask.
var capabilities = []struct {
	bit  uint
	name string
	need string
}{
	{12, "CAP_NET_ADMIN", "TUN or TAP device"},
	{13, "CAP_NET_RAW", "AF_PACKET"},
}

func (m *Machine) privileges() (all []Finding) {
	mask := m.effective()
	for _, c := range capabilities {
		if mask>>c.bit&1 == 1 {
			all = append(all, Finding{c.name, Good, "held, for " + c.need, ""})
		} else {
			all = append(all, Finding{c.name, Missing, "not held; there is no " + c.need + " without", "sudo setcap " + strings.ToLower(c.name) + "+ep gateway"})
		}
	}
	return all
}

// effective are the capabilities that the process has.
func (m *Machine) effective() uint64 {
	for _, line := range m.lines("proc/self/status") {
		if value, ok := strings.CutPrefix(line, "CapEff:"); ok {
			mask, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			if err == nil {
				return mask
			}
		}
	}
	return 0
}

func (m *Machine) tun() Finding {
	if m.has("dev/net/tun") {
		return Finding{"/dev/net/tun", Good, "is there", ""}
	}
	return Finding{"/dev/net/tun", Missing, "is not there; TUN and TAP devices need it", "modprobe tun"}
}

// cards are the network cards on PCI.
func (m *Machine) cards() (all []Finding) {
	const devices = "sys/bus/pci/devices"
	entries, err := fs.ReadDir(m.Root, devices)
	if err != nil {
		return []Finding{{"network cards", Slower, "this machine shows no PCI bus; virtual devices work", ""}}
	}
	for _, e := range entries {
		where := path.Join(devices, e.Name())
		if strings.HasPrefix(m.word(path.Join(where, "class")), "0x02") {
			all = append(all, m.card(where, e.Name()))
		}
	}
	if len(all) == 0 {
		all = append(all, Finding{"network cards", Slower, "none on PCI; virtual devices work", ""})
	}
	return all
}

// card says which driver has a network card. DPDK takes it from vfio or uio, and some
// from their kernel driver.
func (m *Machine) card(where, address string) Finding {
	id := m.word(path.Join(where, "vendor")) + ":" + m.word(path.Join(where, "device"))
	driver := m.driver(where)
	f := Finding{"network card " + address, Slower, fmt.Sprintf("%s, with driver %s of the system", id, driver), "dpdk-devbind.py --bind=vfio-pci " + address}
	switch driver {
	case "vfio-pci", "igb_uio", "uio_pci_generic", "mlx5_core", "mlx4_core", "mana":
		f.State, f.Text, f.Fix = Good, fmt.Sprintf("%s, with driver %s, as DPDK wants it", id, driver), ""
	case "":
		f.Text = id + ", with no driver"
	default:
		if name, why := m.inUse(where); name != "" {
			f.Text += fmt.Sprintf("; the system uses it as %s, which has %s, and would lose that: choose another card", name, why)
			f.Fix = ""
		}
	}
	return f
}

// driver is the one that a device is bound to, as its uevent tells.
func (m *Machine) driver(where string) string {
	for _, line := range m.lines(path.Join(where, "uevent")) {
		if name, ok := strings.CutPrefix(line, "DRIVER="); ok {
			return name
		}
	}
	return ""
}
