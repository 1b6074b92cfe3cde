//go:build dpdk

package dpdk

/*
#cgo CFLAGS: -O2
#cgo pkg-config: libdpdk
#include <stdlib.h>

#include "native.h"
*/
import "C"

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
	"github.com/sealburst/sealburst/examples/gateway/internal/ethernet"
	"github.com/sealburst/sealburst/examples/gateway/internal/port"
)

// Pool is memory for frames. Devices that forward to each other share one.
type Pool struct {
	native  unsafe.Pointer
	room    int
	aligned bool // packets begin on cache lines, where all devices are virtual
}

// headroom is what DPDK leaves free in front of a received frame.
const headroom = 128

const (
	// vlanTag is received too, so that frames with one are seen and counted.
	vlanTag = 4
	// leastFrame is what drivers ask for at least, whatever the MTU.
	leastFrame = 2048
)

var pools atomic.Uint32 // DPDK wants a name for each

// NewPool makes a pool of buffers for frames with IP packets of up to mtu bytes. DPDK
// is started. Without hugepages, and with virtual devices alone, the buffers are in
// memory of their own: DPDK would put one in each ordinary page, where they take each other's
// places in the cache. The devices are those that get the pool, by the names that Config has;
// those of which the driver is net_af_xdp must be among them.
func NewPool(buffers, mtu int, devices ...string) (*Pool, error) {
	room := (headroom + max(ethernet.HeaderSize+vlanTag+mtu, leastFrame) + port.Tailroom + 63) &^ 63
	if mtu <= 0 || room > 1<<16-1 {
		return nil, fmt.Errorf("dpdk: no buffers for packets of %d bytes", mtu)
	}
	name := C.CString(fmt.Sprintf("frames%d", pools.Add(1)))
	defer C.free(unsafe.Pointer(name))
	p := &Pool{room: room, aligned: !slices.ContainsFunc(devices, isAFXDP)}
	if code := C.sb_pool_new(name, C.uint32_t(buffers), C.uint16_t(room), C.bool(p.aligned), &p.native); code != 0 {
		return nil, fmt.Errorf("dpdk: no memory for %d buffers of %d bytes (%s): %w", buffers, room, more(), syscall.Errno(code))
	}
	return p, nil
}

// afXDP is a driver that reckons for itself where a frame begins that the system has put in a
// buffer: where DPDK would have it, whatever the buffer says.
const afXDP = "net_af_xdp"

func isAFXDP(device string) bool { return strings.HasPrefix(baseName(device), afXDP) }

// more says what gives DPDK more memory.
func more() string {
	if report, err := eal.Current(); err != nil || !report.HugePages {
		return "EAL's -m gives more"
	}
	return fmt.Sprintf("%d MiB of hugepages are free: sysctl -w vm.nr_hugepages=N gives more, and --no-huge does without", eal.FreeHugePages()>>20)
}

// Used is how many buffers are not in the pool: with devices, or lent by them.
func (p *Pool) Used() int { return int(C.sb_pool_used(p.native)) }

// Close frees the memory. Every device that had it is closed.
func (p *Pool) Close() { C.sb_pool_free(p.native) }
