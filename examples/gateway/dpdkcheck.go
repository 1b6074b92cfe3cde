package main

import (
	"errors"
	"fmt"
	"strings"
)

// check refuses flags that do not go together, or not on this machine.
func (c *dpdkCommand) check() error {
	switch {
	case c.Workers < 1 || c.Workers > maxWorkers:
		return fmt.Errorf("-workers %d: must be from 1 to %d", c.Workers, maxWorkers)
	case len(c.CPU) > 0 && len(c.CPU) != c.Workers:
		return fmt.Errorf("-cpu names %d processors for %d threads", len(c.CPU), c.Workers)
	}
	if err := errors.Join(c.checkProcessors(), c.checkDevices()); err != nil {
		return err
	}
	f := c.espFlags()
	if err := f.check(&c.credentialFlags, &c.suiteFlags); err != nil || c.Protocol != esp {
		return err
	}
	file, err := f.read()
	if err != nil {
		return err
	}
	return needEnds(file, true)
}

// checkProcessors refuses those that no thread can run on.
func (c *dpdkCommand) checkProcessors() error {
	for _, n := range c.CPU {
		if err := tryProcessor(n); err != nil {
			return fmt.Errorf("-cpu %d: this machine lets no thread run on that processor: %w", n, err)
		}
	}
	return nil
}

// checkDevices refuses one device on both sides. Virtual devices are one by their name,
// without the parameters, and a PCI address may leave its domain 0000 out.
func (c *dpdkCommand) checkDevices() error {
	var names [2]string
	for i, device := range []string{c.Plain.Device, c.Protected.Device} {
		name, _, _ := strings.Cut(device, ",")
		names[i] = strings.ToLower(strings.TrimPrefix(name, "0000:"))
	}
	if names[0] == names[1] {
		return fmt.Errorf("-plain-device and -protected-device: %s is one device twice", names[0])
	}
	return nil
}

// maxWorkers is below what DPDK takes in threads.
const maxWorkers = 64
