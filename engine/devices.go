package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/builtin"
)

// NamedDeviceError says why a device that EnvDevices names cannot be used. It wraps the
// reason.
type NamedDeviceError struct {
	Device string
	Reason error
}

// Error names the device and why it cannot be used.
func (e *NamedDeviceError) Error() string {
	return fmt.Sprintf("engine: %q from %s: %v", e.Device, EnvDevices, e.Reason)
}

// Unwrap gives the reason.
func (e *NamedDeviceError) Unwrap() error { return e.Reason }

// checkDevices refuses a device of the operator's that this build cannot have, or that
// cannot run. A build with DPDK lists them all, but for those that the program has
// opened itself.
func (w *wishes) checkDevices(e *Engine, unusable map[*ciphers.Backend]error) error {
	for _, argument := range w.devices {
		name, _, _ := strings.Cut(argument, ",")
		switch b := e.backend(name); {
		case b == nil && builtin.DeviceTag != "":
			return &NamedDeviceError{name, e.unknown(name, builtin.DeviceTag)}
		case b != nil && unusable[b] != nil:
			return &NamedDeviceError{name, unusable[b]}
		}
	}
	return nil
}

// DeviceReport is one device's part of a Report.
type DeviceReport struct {
	ciphers.DeviceTraits
	ciphers.DeviceStats
}

// devices reports on the devices that serve an algorithm.
func (e *Engine) devices() (all []DeviceReport) {
	var seen []ciphers.Device
	for _, plan := range e.plans {
		if plan == nil {
			continue
		}
		impl, ok := plan.Bulk.(ciphers.Asynchronous)
		if !ok || slices.Contains(seen, impl.Device()) {
			continue
		}
		seen = append(seen, impl.Device())
		all = append(all, DeviceReport{impl.Device().Traits(), impl.Device().Stats()})
	}
	return all
}

// String is one line.
func (d DeviceReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "device %s: %d packets in place, %d copied, %d failed", d.Name, d.Placed, d.Copied, d.Failed)
	if d.Fault != "" {
		fmt.Fprintf(&b, ": %s", d.Fault)
	}
	if d.Down {
		b.WriteString(": down")
	}
	return b.String()
}
