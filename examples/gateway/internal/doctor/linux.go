package doctor

import (
	"fmt"
	"io/fs"
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
	if version := m.version(); version != "" {
		return Finding{"DPDK", Missing, "the machine has " + version + ", and this build does not use it", rebuild}
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
	{14, "CAP_IPC_LOCK", "memory that network cards reach"},
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
