package doctor

import (
	"io/fs"
	"path"
	"strings"
)

// inUse names the system's interface of a network card, and says what the system uses
// it for: nothing of a card that DPDK may have.
func (m *Machine) inUse(where string) (name, why string) {
	for _, pattern := range []string{"net/*", "virtio*/net/*"} {
		found, err := fs.Glob(m.Root, path.Join(where, pattern))
		if err != nil {
			continue // no such folder
		}
		for _, face := range found {
			name = path.Base(face)
			if why := m.purpose(face); why != "" {
				return name, why
			}
		}
	}
	return name, ""
}

// purpose is what an interface is there for, empty for nothing.
func (m *Machine) purpose(face string) string {
	name := path.Base(face)
	routed := false
	for _, line := range m.lines("proc/net/route") {
		f := strings.Fields(line)
		if len(f) > 7 && f[0] == name {
			routed = true
			if f[1] == "00000000" && f[7] == "00000000" {
				return "the default route"
			}
		}
	}
	for _, line := range m.lines("proc/net/ipv6_route") {
		f := strings.Fields(line)
		if len(f) == 10 && f[9] == name && f[1] == "00" {
			return "the default route"
		}
	}
	switch {
	case routed || m.hasAddress6(name):
		return "an address"
	case m.has(path.Join(face, "master")):
		return "a bridge or bond above it"
	}
	return ""
}

// hasAddress6 reports whether an interface has an IPv6 address beyond its link.
func (m *Machine) hasAddress6(name string) bool {
	const scopeLink = "20"
	for _, line := range m.lines("proc/net/if_inet6") {
		f := strings.Fields(line)
		if len(f) == 6 && f[5] == name && f[3] != scopeLink {
			return true
		}
	}
	return false
}
