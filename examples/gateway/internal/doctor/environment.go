package doctor

import (
	"errors"
	"strings"

	"github.com/sealburst/sealburst/ciphers/builtin"
	"github.com/sealburst/sealburst/engine"
)

var errNoDPDK = errors.New("this build has no DPDK")

// cryptoDevices looks for devices, named with a space between, among the backends.
func cryptoDevices(names string) (all []CryptoDevice) {
	if names == "" {
		return nil
	}
	backends := builtin.Backends()
	for _, device := range strings.Fields(names) {
		name, _, _ := strings.Cut(device, ",")
		d := CryptoDevice{Name: name, Err: errNoDPDK}
		for _, b := range backends {
			if b.Name == name {
				d.Err = b.Probe()
			}
		}
		all = append(all, d)
	}
	return all
}

// environment says which of the operator's wishes cannot be met.
func (m *Machine) environment() (all []Finding) {
	if m.Pin != nil {
		all = append(all, Finding{"environment", Missing, strings.ReplaceAll(m.Pin.Error(), "\n", "; "), "unset " + engine.EnvBackend + " " + engine.EnvCPU})
	}
	for _, d := range m.Devices {
		f := Finding{"crypto device " + d.Name, Good, "is there", ""}
		if d.Err != nil {
			f.State, f.Text, f.Fix = Missing, d.Err.Error(), "unset "+engine.EnvDevices
		}
		all = append(all, f)
	}
	return all
}
