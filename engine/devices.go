package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sealburst/sealburst/ciphers"
)

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
