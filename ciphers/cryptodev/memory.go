//go:build dpdk

package cryptodev

/*
#include "native.h"
*/
import "C"

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers"
)

// span is addresses from one on, so many.
type span struct{ from, size uint64 }

// dpdkMemory is where DPDK's memory lies. DPDK reserves the addresses when it starts
// and takes memory there as it needs it.
func dpdkMemory() (all []span) {
	var raw [128]C.struct_span
	n := C.cryptodev_spans(&raw[0], C.uint32_t(len(raw)))
	for _, s := range raw[:n] {
		all = append(all, span{uint64(s.from), uint64(s.size)})
	}
	return merged(all)
}

// merged joins spans that touch.
func merged(all []span) (joined []span) {
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for _, s := range all {
		if n := len(joined) - 1; n >= 0 && joined[n].from+joined[n].size == s.from {
			joined[n].size += s.size
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// inPlace reports whether the device works on the packet where it lies.
func (d *Device) inPlace(p *ciphers.Packet) bool {
	switch p.Memory {
	case ciphers.MemoryDevice:
		return true
	case ciphers.MemoryPinned:
		return bool(d.traits.software) || d.reaches(p)
	}
	return d.reaches(p)
}

// reaches reports that the packet lies in DPDK's memory.
func (d *Device) reaches(p *ciphers.Packet) bool {
	return d.inSpan(p.Buf) && (p.Plain == nil || d.inSpan(p.Plain))
}

func (d *Device) inSpan(b []byte) bool {
	at := address(unsafe.SliceData(b))
	for _, s := range d.spans {
		if at-s.from < s.size {
			return true
		}
	}
	return false
}
