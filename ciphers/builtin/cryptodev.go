//go:build dpdk && cgo

package builtin

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cryptodev"
)

// DeviceTag is the build tag that brings DPDK's crypto devices: empty, as this build has it.
const DeviceTag = ""

// devices lists the backends of DPDK's crypto devices that the environment names or
// the program has started DPDK with.
func devices() []*ciphers.Backend { return cryptodev.Named() }
