//go:build dpdk

package cryptodev

/*
#include <stdlib.h>

#include "native.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/cryptodev/eal"
)

// EnvDevices is the variable that names devices for Named, with a space between.
const EnvDevices = "SEALBURST_CRYPTODEV"

// ErrOpen says that somebody has the device open.
var ErrOpen = errors.New("cryptodev: the device is open already")

// process is which devices are open in this process, of which DPDK has one each.
var process = struct {
	sync.Mutex
	open map[string]bool
}{open: map[string]bool{}}

// claim notes that a device is open.
func claim(name string) error {
	process.Lock()
	defer process.Unlock()
	if process.open[name] {
		return fmt.Errorf("%w: %s", ErrOpen, name)
	}
	process.open[name] = true
	return nil
}

func disclaim(name string) {
	process.Lock()
	defer process.Unlock()
	delete(process.open, name)
}

// Named are the backends of the devices that EnvDevices names and, where the program
// has started DPDK itself, of those among its arguments that nobody has opened. They
// are opened at the first call and stay open. One that cannot be opened is among them
// too: engine.New fails with the reason.
func Named() (all []*ciphers.Backend) {
	named.Lock()
	defer named.Unlock()
	devices := strings.Fields(os.Getenv(EnvDevices))
	if _, err := eal.Current(); err == nil {
		devices = append(devices, present()...)
	}
	seen := map[string]bool{}
	for _, device := range devices {
		name, _, _ := strings.Cut(device, ",")
		if b := namedBackend(name, device); b != nil && !seen[name] {
			all = append(all, b)
		}
		seen[name] = true
	}
	return all
}

// present are the names of the devices that DPDK has.
func present() (names []string) {
	for id := range C.int(C.MAX_DEVICES) {
		var t C.struct_traits
		if C.cryptodev_traits(id, &t) == 0 {
			names = append(names, C.GoString(&t.name[0]))
		}
	}
	return names
}

// named is what Named opened, or tried to.
var named = struct {
	sync.Mutex
	backends map[string]*ciphers.Backend
}{backends: map[string]*ciphers.Backend{}}

// namedBackend is the backend of a device, which it opens if need be, or nil for one
// that the program opened.
func namedBackend(name, device string) *ciphers.Backend {
	if b := named.backends[name]; b != nil {
		return b
	}
	d, err := Open(Config{Device: device})
	if errors.Is(err, ErrOpen) {
		return nil
	}
	b := failing(name, err)
	if err == nil {
		b = d.Backend()
	}
	named.backends[name] = b
	return b
}

// failing is a backend that cannot run.
func failing(name string, why error) *ciphers.Backend {
	b := &ciphers.Backend{
		Name: name, Priority: priority, Probe: func() error { return why }, AEADs: map[ciphers.Algorithm]ciphers.AEAD{},
	}
	for _, alg := range ciphers.Algorithms() {
		if _, known := shapeOf(alg); known {
			b.AEADs[alg] = &aead{}
		}
	}
	return b
}
