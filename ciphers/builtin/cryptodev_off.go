//go:build !dpdk || !cgo

package builtin

import "github.com/sealburst/sealburst/ciphers"

// DeviceTag is the build tag that brings DPDK's crypto devices, beside cgo.
const DeviceTag = "dpdk"

// devices lists the backends of DPDK's crypto devices: none without the tag dpdk.
func devices() []*ciphers.Backend { return nil }
