// Package builtin is the list of backends that this build has. A new backend is
// named here and nowhere else.
package builtin

import (
	"slices"
	"strings"

	"github.com/sealburst/sealburst/ciphers"
)

// Backends are the backends of this build, the best first.
func Backends() []*ciphers.Backend {
	return slices.Concat(vector(), intel(), exchanges(), []*ciphers.Backend{std()}, evp(), devices())
}

// Tag is the build tag, beside cgo, that brings the backend of that name, or empty
// where none does or this build has it. Virtual crypto devices of DPDK begin with
// "crypto_".
func Tag(name string) string {
	switch {
	case name == "ipsecmb" && len(intel()) == 0, name == "openssl" && len(evp()) == 0:
		return name
	case strings.HasPrefix(name, "crypto_"):
		return DeviceTag
	}
	return ""
}
