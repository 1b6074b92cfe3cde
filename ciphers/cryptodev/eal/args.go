package eal

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// enough is how many bytes of hugepages must be free for them to be chosen.
const enough = 64 << 20

// withoutHugePages is the memory that DPDK takes then, in MiB.
const withoutHugePages = "256"

// machine is what the arguments depend on.
type machine struct {
	cpu  int   // one that the process may run on
	free int64 // bytes in hugepages
}

// complete adds to the caller's arguments what they leave open.
func complete(args []string, m machine) []string {
	all := append([]string(nil), args...)
	if !given(args, "--no-huge", "--in-memory", "--huge-dir", "--huge-unlink", "--file-prefix", "--proc-type", "--legacy-mem") {
		if m.free >= enough {
			all = append(all, "--in-memory")
		} else {
			all = append(all, "--no-huge")
		}
	}
	if given(all, "--no-huge") && !given(args, "-m", "--socket-mem") {
		all = append(all, "-m", withoutHugePages)
	}
	if !given(all, "--in-memory", "--no-shconf", "--file-prefix", "--proc-type") {
		all = append(all, "--no-shconf")
	}
	if !given(args, "--no-telemetry", "--telemetry") {
		all = append(all, "--no-telemetry")
	}
	if !given(args, "--no-pci", "-a", "--allow", "-b", "--block") {
		all = append(all, "--no-pci")
	}
	if !given(args, "--log-level") {
		all = append(all, "--log-level=*:warning")
	}
	if !given(args, "-l", "--lcores", "-c", "-s", "-S") {
		all = append(all, "--lcores", "0@"+strconv.Itoa(m.cpu))
	}
	return all
}

// given reports whether one of the options is among the arguments, with its value
// in the same one or in the next.
func given(args []string, options ...string) bool {
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		for _, option := range options {
			short := !strings.HasPrefix(option, "--")
			if name == option || short && !strings.HasPrefix(arg, "--") && strings.HasPrefix(arg, option) {
				return true
			}
		}
	}
	return false
}

// FreeHugePages is how many bytes of hugepages are free, of all sizes. It needs no
// DPDK, and is 0 where the system tells nothing.
func FreeHugePages() int64 { return freeHugePages("/sys/kernel/mm/hugepages") }

func freeHugePages(root string) (bytes int64) {
	pools, err := filepath.Glob(filepath.Join(root, "hugepages-*kB"))
	if err != nil {
		return 0
	}
	for _, pool := range pools {
		kB, sizeErr := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(pool), "hugepages-"), "kB"), 10, 64)
		text, readErr := os.ReadFile(filepath.Join(pool, "free_hugepages"))
		n, countErr := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if sizeErr == nil && readErr == nil && countErr == nil {
			bytes += n * kB << 10
		}
	}
	return bytes
}
