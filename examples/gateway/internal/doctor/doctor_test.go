package doctor

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sealburst/sealburst/engine"
)

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

// rich has everything.
func rich() Machine {
	return Machine{
		OS: "linux", DPDK: "DPDK 22.11.11", HugePage: 512 << 20,
		Report: engine.Report{
			CPU:        []string{"vaes", "avx512f"},
			Algorithms: []engine.AlgorithmReport{{Algorithm: "a", Backend: "vaes512"}, {Algorithm: "b", Backend: "std"}, {Algorithm: "c", Backend: "std"}},
		},
		Root: fstest.MapFS{
			"proc/cpuinfo":                            text("processor\t: 0\nmodel name\t: Some Processor\n"),
			"proc/self/status":                        text("Name:\tx\nCapEff:\t000001ffffffffff\n"),
			"dev/net/tun":                             text(""),
			"sys/bus/pci/devices/0000:3b:00.0/class":  text("0x020000\n"),
			"sys/bus/pci/devices/0000:3b:00.0/vendor": text("0x8086\n"),
			"sys/bus/pci/devices/0000:3b:00.0/device": text("0x1592\n"),
			"sys/bus/pci/devices/0000:3b:00.0/uevent": text("DRIVER=vfio-pci\nPCI_CLASS=20000\n"),
			"sys/bus/pci/devices/0000:00:02.0/class":  text("0x030000\n"),
			"usr/lib/x/dpdk/pmds-23.0/librte_net_ice.so.23.0": text("\x7fELF\x00PMD_INFO_STRING= " +
				`{"name": "net_ice", "kmod": "vfio-pci", "pci_ids": [[32902, 1234, 65535, 65535], [32902, 5522, 65535, 65535]]}` + "\x00more"),
			"usr/lib/x/dpdk/pmds-23.0/librte_net_tap.so.23.0": text(
				`PMD_INFO_STRING= {"name": "net_tun", "pci_ids": []}` + "\x00\x01" + `PMD_INFO_STRING= {"name": "net_tap", "params": "iface=<string>", "pci_ids": []}` + "\x00PMD_INFO_STRING= rubbish\x00"),
			"usr/lib/x/dpdk/pmds-23.0/librte_crypto_null.so.23.0": text(`PMD_INFO_STRING= {"name": "crypto_null", "pci_ids": []}` + "\x00"),
		},
	}
}

func TestRichMachine(t *testing.T) {
	m := rich()
	all := m.Examine()
	for _, f := range all {
		if f.State != Good || f.Fix != "" {
			t.Errorf("%+v", f)
		}
	}
	var b bytes.Buffer
	Print(&b, all)
	for _, want := range []string{
		"processor: Some Processor: vaes avx512f", "vaes512 serves 1 algorithm, std serves 2 algorithms", "DPDK 22.11.11", "512 MiB",
		"CAP_NET_ADMIN", "network card 0000:3b:00.0: 0x8086:0x1592, with driver vfio-pci, as DPDK wants it; DPDK's driver is net_ice",
		"DPDK's network devices: net_tap net_tun; and 1 drivers of cards", "DPDK's crypto devices: crypto_null; and 0", "CAP_IPC_LOCK",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// TestWhatIsMissing comes with the command that mends it.
func TestWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		subject string
		state   State
		fix     string
		harm    func(m *Machine, files fstest.MapFS)
	}{
		{"DPDK", Missing, "apt-get install", func(m *Machine, _ fstest.MapFS) { m.DPDK = "" }},
		{"DPDK", Missing, "go build -tags dpdk", func(m *Machine, files fstest.MapFS) {
			m.DPDK, files["usr/include/dpdk/rte_eal.h"] = "", text("")
		}},
		{"DPDK", Missing, "go build -tags dpdk", func(m *Machine, files fstest.MapFS) {
			m.DPDK, files["usr/lib/x/pkgconfig/libdpdk.pc"] = "", text("Name: DPDK\nVersion: 22.11.11\n")
		}},
		{"DPDK's network devices", Missing, "apt-get install", func(_ *Machine, files fstest.MapFS) {
			delete(files, "usr/lib/x/dpdk/pmds-23.0/librte_net_ice.so.23.0")
			delete(files, "usr/lib/x/dpdk/pmds-23.0/librte_net_tap.so.23.0")
		}},
		{"DPDK's crypto devices", Missing, "apt-get install", func(_ *Machine, files fstest.MapFS) {
			delete(files, "usr/lib/x/dpdk/pmds-23.0/librte_crypto_null.so.23.0")
		}},
		{"crypto card 0000:3b:00.0", Slower, "modprobe uio_pci_generic && dpdk-devbind.py --bind=uio_pci_generic 0000:3b:00.0", func(_ *Machine, files fstest.MapFS) {
			files["sys/bus/pci/devices/0000:3b:00.0/class"], files["sys/bus/pci/devices/0000:3b:00.0/uevent"] = text("0x0b4000\n"), text("")
		}},
		{"hugepages", Slower, "sysctl -w vm.nr_hugepages", func(m *Machine, _ fstest.MapFS) { m.HugePage = 0 }},
		{"CAP_NET_RAW", Missing, "setcap cap_net_raw", func(_ *Machine, files fstest.MapFS) {
			files["proc/self/status"] = text("CapEff:\t0000000000001000\n")
		}},
		{"CAP_NET_ADMIN", Missing, "setcap cap_net_admin", func(_ *Machine, files fstest.MapFS) { delete(files, "proc/self/status") }},
		{"/dev/net/tun", Missing, "modprobe tun", func(_ *Machine, files fstest.MapFS) { delete(files, "dev/net/tun") }},
		{"network card 0000:3b:00.0", Slower, "dpdk-devbind.py --bind=uio_pci_generic 0000:3b:00.0", func(_ *Machine, files fstest.MapFS) {
			files["sys/bus/pci/devices/0000:3b:00.0/uevent"] = text("DRIVER=ice\n")
		}},
		{"environment", Missing, "unset SEALBURST_BACKEND", func(m *Machine, _ fstest.MapFS) { m.Pin = errors.New("no") }},
		{"crypto device crypto_x0", Missing, "unset SEALBURST_CRYPTODEV", func(m *Machine, _ fstest.MapFS) {
			m.Devices = []CryptoDevice{{Name: "crypto_x0", Err: errors.New("no")}}
		}},
		{"network cards", Slower, "", func(_ *Machine, files fstest.MapFS) {
			files["sys/bus/pci/devices/0000:3b:00.0/class"] = text("0x010000\n")
		}},
		{"processor", Slower, "", func(m *Machine, _ fstest.MapFS) { m.Report.CPU = nil }},
		{"backends", Slower, "", func(m *Machine, _ fstest.MapFS) { m.Report.Algorithms = m.Report.Algorithms[1:] }},
		{"system", Slower, "", func(m *Machine, _ fstest.MapFS) { m.OS = "darwin" }},
	} {
		m := rich()
		c.harm(&m, m.Root.(fstest.MapFS))
		found := false
		for _, f := range m.Examine() {
			if f.Subject == c.subject {
				found = true
				if f.State != c.state || !strings.Contains(f.Fix, c.fix) {
					t.Errorf("%s: %+v", c.subject, f)
				}
			}
		}
		if !found {
			t.Errorf("%s is not told of", c.subject)
		}
	}
}

// TestCardsInUse are not taken from the system, whatever it uses them for.
func TestCardsInUse(t *testing.T) {
	const card = "sys/bus/pci/devices/0000:3b:00.0/"
	for _, c := range []struct {
		why                 string
		face, file, content string
	}{
		{"the default route", "net/eth0", "proc/net/route", "Iface\tDestination\neth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"},
		{"the default route", "virtio3/net/eth0", "proc/net/ipv6_route", strings.Repeat("0", 32) + " 00 " + strings.Repeat("0", 32) + " 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth0\n"},
		{"an address", "net/eth0", "proc/net/route", "eth0\t0002A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"},
		{"an address", "net/eth0", "proc/net/if_inet6", "20010db8000000000000000000000001 02 40 00 80     eth0\n"},
		{"a bridge or bond", "net/eth0", card + "net/eth0/master", ""},
		{"", "net/eth0", "proc/net/if_inet6", "fe800000000000000000000000000001 02 40 20 80     eth0\n"},
		{"", "net/eth0", "proc/net/route", "eth1\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"},
	} {
		m := rich()
		files := m.Root.(fstest.MapFS)
		files[card+"uevent"], files[card+c.face+"/address"], files[c.file] = text("DRIVER=ice\n"), text(""), text(c.content)
		f := m.card(strings.TrimSuffix(card, "/"), "0000:3b:00.0", "network card ", m.drivers())
		if told := strings.Contains(f.Text, "uses it as eth0"); told != (c.why != "") || told == (f.Fix != "") || !strings.Contains(f.Text, c.why) || f.State != Slower {
			t.Errorf("%s: %+v", c.content, f)
		}
	}
}

// TestCardsAreTold with their driver, interface and what DPDK can do with them.
func TestCardsAreTold(t *testing.T) {
	const card = "sys/bus/pci/devices/0000:3b:00.0/"
	for _, c := range []struct {
		text, fix string
		files     fstest.MapFS
	}{
		{"0x8086:0x1592, with driver ice of the system, as eth7; DPDK's driver is net_ice", "modprobe uio_pci_generic && dpdk-devbind.py --bind=uio_pci_generic 0000:3b:00.0", fstest.MapFS{
			card + "net/eth7/address": text(""),
		}},
		{"0x8086:0x0bad, with driver ice of the system; DPDK has no driver for it", "", fstest.MapFS{card + "device": text("0x0bad\n")}},
		{"0x8086:odd, with driver ice of the system; DPDK has no driver for it", "", fstest.MapFS{card + "device": text("odd\n")}},
	} {
		m := rich()
		files := m.Root.(fstest.MapFS)
		files[card+"uevent"] = text("DRIVER=ice\n")
		for name, file := range c.files {
			files[name] = file
		}
		f := m.card(strings.TrimSuffix(card, "/"), "0000:3b:00.0", "network card ", m.drivers())
		if f.Text != c.text || !strings.HasPrefix(f.Fix, c.fix) || (c.fix == "") != (f.Fix == "") {
			t.Errorf("%+v\nwant %s, %s", f, c.text, c.fix)
		}
	}
}

// TestCardsAreGivenToDPDK by a driver that this kernel has, and that takes the card.
func TestCardsAreGivenToDPDK(t *testing.T) {
	const (
		card   = "sys/bus/pci/devices/0000:3b:00.0"
		vfio   = "dpdk-devbind.py --bind=vfio-pci 0000:3b:00.0"
		uio    = "dpdk-devbind.py --bind=uio_pci_generic 0000:3b:00.0"
		unsafe = "modprobe vfio && echo 1 >/sys/module/vfio/parameters/enable_unsafe_noiommu_mode && modprobe vfio-pci && " + vfio
	)
	release, group := "proc/sys/kernel/osrelease", card+"/iommu_group/type"
	for _, c := range []struct {
		want  string
		files fstest.MapFS
	}{
		{"modprobe vfio-pci && " + vfio, fstest.MapFS{group: text("DMA")}},
		{vfio, fstest.MapFS{group: text("DMA"), "sys/bus/pci/drivers/vfio-pci/bind": text("")}},
		{"modprobe uio_pci_generic && " + uio, fstest.MapFS{"sys/kernel/iommu_groups/0/type": text("DMA")}}, // of another card
		{uio, fstest.MapFS{"sys/bus/pci/drivers/uio_pci_generic/bind": text("")}},
		{unsafe, fstest.MapFS{release: text("6.8.0-x\n"), "boot/config-6.8.0-x": text("CONFIG_VFIO=m\nCONFIG_VFIO_NOIOMMU=y\n")}},
		{"modprobe uio_pci_generic && " + uio, fstest.MapFS{release: text("6.1.0-y\n"), "boot/config-6.1.0-y": text("CONFIG_VFIO=m\n# CONFIG_VFIO_NOIOMMU is not set\n")}},
		{unsafe, fstest.MapFS{"sys/module/vfio/parameters/enable_unsafe_noiommu_mode": text("N\n"), "sys/bus/pci/drivers/vfio-pci/bind": text("")}},
		{"modprobe uio_pci_generic && " + uio, fstest.MapFS{"sys/module/vfio/refcnt": text("0\n"), "sys/bus/pci/drivers/vfio-pci/bind": text("")}},
	} {
		m := Machine{Root: c.files}
		if got := m.bind(card, "0000:3b:00.0"); got != c.want {
			t.Errorf("%v:\n%s, want\n%s", c.files, got, c.want)
		}
	}
}

// TestDriversOfAMachineWithoutDPDK are not asked for.
func TestDriversOfAMachineWithoutDPDK(t *testing.T) {
	m := Machine{OS: "linux", Root: fstest.MapFS{}}
	for _, f := range m.Examine() {
		if strings.HasPrefix(f.Subject, "DPDK's") {
			t.Errorf("%+v", f)
		}
	}
}

func TestNoSuchCryptoDevice(t *testing.T) {
	all := cryptoDevices("crypto_nope0,x=1 crypto_nope1")
	if len(all) != 2 || all[0].Name != "crypto_nope0" || all[0].Err == nil || all[1].Err == nil || cryptoDevices("") != nil {
		t.Errorf("%+v", all)
	}
}

func TestMachineAtHand(t *testing.T) {
	m := Here(engine.Report{})
	if len(m.Examine()) < 3 {
		t.Error("finds nothing here")
	}
}
