package dpdk

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
)

// ErrUnavailable says that this build has no DPDK.
var ErrUnavailable = eal.ErrUnavailable

// ErrNoDevice says that DPDK knows no Ethernet device of that name.
var ErrNoDevice = errors.New("dpdk: no such Ethernet device")

// Config is how a device is opened.
type Config struct {
	Name   string // as DPDK's arguments name it, with its parameters
	Queues int    // how many threads will use it; 0 means 1
	MTU    int    // the longest IP packet; 0 means 1500
	Depth  int    // frames that a queue holds; 0 means 1024
	Pool   *Pool  // of the buffers that frames are received in

	Promiscuous bool // take in frames to other hosts too
	OneReceiver bool // only the first queue receives
}

const defaultMTU = 1500

// Traits are what a device is and can do.
type Traits struct {
	Driver         string
	MAC            ethernet.MAC
	Receiving      int // queues, at most
	Sending        int // queues, at most
	MinMTU, MaxMTU int
	SpreadsFlows   bool // over receiving queues
	ChecksUDP      bool // fills in the checksums of what is sent
	Verifies       bool // the checksums of IPv4 headers that are received
}

// Losses are frames that the device itself lost, by its own counters.
type Losses struct {
	Missed   uint64 `json:"missed"`    // no room in a receiving queue
	NoBuffer uint64 `json:"no_buffer"` // nothing to receive into
	Receive  uint64 `json:"receive_errors"`
	Send     uint64 `json:"send_errors"`
}

var pciAddress = regexp.MustCompile(`^([0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]$`)

// baseName is a device's name without its parameters.
func baseName(device string) string {
	name, _, _ := strings.Cut(device, ",")
	return name
}

// portName is what DPDK calls a device's port. The address of a card may leave out its domain.
func portName(device string) string {
	name := baseName(device)
	if !IsPhysical(name) {
		return name
	}
	if strings.Count(name, ":") == 1 {
		name = "0000:" + name
	}
	return strings.ToLower(name)
}

// IsPhysical reports whether a name is the PCI address of a device.
func IsPhysical(device string) bool { return pciAddress.MatchString(baseName(device)) }

// Start starts DPDK for some devices, with further arguments of its own, and says in a
// line how. Physical devices are allowed, and no others touched.
func Start(arguments []string, devices ...string) (string, error) {
	all := append([]string(nil), arguments...)
	for _, device := range devices {
		if IsPhysical(device) {
			all = append(all, "-a", device)
		}
	}
	free := eal.FreeHugePages()
	if err := eal.Start(all); err != nil {
		return "", err
	}
	report, err := eal.Current()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %s", report.Version, memory(report.HugePages, slices.Contains(all, "--no-huge"), free)), nil
}

// memory says where DPDK's memory lies, and why: what was asked for, and how many bytes
// of hugepages were free.
func memory(hugePages, asked bool, free int64) string {
	const ordinary = "memory is in ordinary pages%s, frames in transparent huge pages as far as the kernel has some"
	switch {
	case hugePages:
		return "memory is in hugepages"
	case asked:
		return fmt.Sprintf(ordinary, ", as --no-huge says")
	case free == 0:
		return "no hugepages are free: " + fmt.Sprintf(ordinary, " (--no-huge)")
	}
	return fmt.Sprintf("only %d MiB of hugepages are free: ", free>>20) + fmt.Sprintf(ordinary, " (--no-huge)")
}
