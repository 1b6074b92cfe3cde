package doctor

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Classes of devices on PCI, by how they begin.
const (
	classNetwork     = "0x02"
	classCoprocessor = "0x0b40"
	classEncryption  = "0x10"
)

// cards are the network cards on PCI, and those for cryptography.
func (m *Machine) cards(drivers []driver) (all []Finding) {
	const devices = "sys/bus/pci/devices"
	entries, err := fs.ReadDir(m.Root, devices)
	if err != nil {
		return []Finding{{"network cards", Slower, "this machine shows no PCI bus; virtual devices work", ""}}
	}
	network := false
	for _, e := range entries {
		where := path.Join(devices, e.Name())
		class := m.word(path.Join(where, "class"))
		switch {
		case strings.HasPrefix(class, classNetwork):
			network = true
			all = append(all, m.card(where, e.Name(), "network card ", drivers))
		case strings.HasPrefix(class, classCoprocessor), strings.HasPrefix(class, classEncryption):
			all = append(all, m.card(where, e.Name(), "crypto card ", drivers))
		}
	}
	if !network {
		all = append(all, Finding{"network cards", Slower, "none on PCI; virtual devices work", ""})
	}
	return all
}

// card says which driver has a card, and whether DPDK may have it. DPDK takes cards from
// vfio or uio, and some from their kernel driver.
func (m *Machine) card(where, address, kind string, drivers []driver) Finding {
	vendor, device := m.word(path.Join(where, "vendor")), m.word(path.Join(where, "device"))
	f := Finding{kind + address, Slower, vendor + ":" + device, ""}
	name, known := driving(drivers, vendor, device)
	bound := m.driver(where)
	switch bound {
	case "vfio-pci", "igb_uio", "uio_pci_generic", "mlx5_core", "mlx4_core", "mana":
		f.State = Good
		f.Text += fmt.Sprintf(", with driver %s, as DPDK wants it", bound)
		return f.with(name)
	case "":
		f.Text += ", with no driver"
	default:
		f.Text += fmt.Sprintf(", with driver %s of the system", bound)
	}
	face, why := m.inUse(where)
	if why != "" {
		f.Text += fmt.Sprintf("; the system uses it as %s, which has %s, and would lose that: choose another card", face, why)
		return f
	}
	if face != "" {
		f.Text += ", as " + face
	}
	if len(drivers) > 0 && !known {
		f.Text += "; DPDK has no driver for it"
		return f
	}
	f.Fix = m.bind(where, address)
	return f.with(name)
}

// with names the driver that DPDK has for a card.
func (f Finding) with(driver string) Finding {
	if driver != "" {
		f.Text += "; DPDK's driver is " + driver
	}
	return f
}

// driving finds DPDK's driver for a card.
func driving(drivers []driver, vendor, device string) (name string, known bool) {
	v, vErr := strconv.ParseUint(vendor, 0, 32)
	d, dErr := strconv.ParseUint(device, 0, 32)
	if vErr != nil || dErr != nil {
		return "", false
	}
	for i := range drivers {
		if drivers[i].drives(uint32(v), uint32(d)) {
			return drivers[i].Name, true
		}
	}
	return "", false
}

// bind is the command that gives a card to DPDK: by vfio-pci where an IOMMU guards it, or where
// the kernel lets vfio do without, and else by uio_pci_generic.
func (m *Machine) bind(where, address string) string {
	const without = "modprobe vfio && echo 1 >/sys/module/vfio/parameters/enable_unsafe_noiommu_mode && "
	switch {
	case m.has(path.Join(where, "iommu_group")):
		return m.load("vfio-pci") + "dpdk-devbind.py --bind=vfio-pci " + address
	case m.unguardedVFIO():
		return without + "modprobe vfio-pci && dpdk-devbind.py --bind=vfio-pci " + address
	}
	return m.load("uio_pci_generic") + "dpdk-devbind.py --bind=uio_pci_generic " + address
}

// load is the command that loads a driver of cards which is not there yet.
func (m *Machine) load(driver string) string {
	if m.has(path.Join("sys/bus/pci/drivers", driver)) {
		return ""
	}
	return "modprobe " + driver + " && "
}

// unguardedVFIO reports whether vfio can be told to do without an IOMMU. Not every kernel is
// built with that: Debian's is not.
func (m *Machine) unguardedVFIO() bool {
	if m.has("sys/module/vfio") {
		return m.has("sys/module/vfio/parameters/enable_unsafe_noiommu_mode")
	}
	return slices.Contains(m.lines("boot/config-"+m.word("proc/sys/kernel/osrelease")), "CONFIG_VFIO_NOIOMMU=y")
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
