//go:build !dpdk || !cgo

package builtin

import "github.com/sealburst/sealburst/ciphers"

// devices lists the backends of DPDK's crypto devices: none without the tag dpdk.
func devices() []*ciphers.Backend { return nil }
