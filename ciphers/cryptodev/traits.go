//go:build dpdk

package cryptodev

/*
#include "native.h"
*/
import "C"

import "github.com/sealburst/sealburst/ciphers"

// Traits fulfils ciphers.Device.
func (d *Device) Traits() ciphers.DeviceTraits {
	t := ciphers.DeviceTraits{
		Name: d.name, Burst: 32, InFlight: d.inFlight, Lanes: d.lanes(), InPlace: []ciphers.Memory{ciphers.MemoryDevice},
	}
	if d.traits.software {
		t.InPlace = append(t.InPlace, ciphers.MemoryPinned)
	}
	return t
}

// lanes are the queue pairs but for one that waits.
func (d *Device) lanes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.pairs) + d.lent
	if !d.traits.cpu {
		n--
	}
	return n
}

// Stats fulfils ciphers.Device.
func (d *Device) Stats() ciphers.DeviceStats {
	st := ciphers.DeviceStats{
		Placed: d.placed.Load(), Copied: d.copied.Load(), CopiedBytes: d.bytes.Load(), Failed: d.failed.Load(), Down: d.down.Load(),
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case st.Down:
		st.Fault = ErrDown.Error()
	case d.short.Load():
		st.Fault = ErrMemory.Error()
	case d.c != nil:
		st.Fault = C.GoString(C.cryptodev_fault(d.c))
	}
	return st
}
