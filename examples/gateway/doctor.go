package main

import (
	"encoding/json"
	"errors"

	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/examples/gateway/internal/doctor"
)

// doctorCommand says what the machine offers a gateway.
type doctorCommand struct{}

// Run prints what the machine has, what is missing, and the commands that mend it.
func (c *doctorCommand) Run(env *environment) error {
	e, pin := engine.New(engine.Config{})
	if pin != nil { // by the environment, which is told of
		var err error
		if e, err = engine.New(engine.Config{IgnoreEnvironment: true}); err != nil {
			return err
		}
	}
	defer e.Close()
	m := doctor.Here(e.Report())
	if device := new(engine.NamedDeviceError); !errors.As(pin, &device) { // the devices have a finding of their own
		m.Pin = pin
	}
	findings := m.Examine()
	if env.json {
		return json.NewEncoder(env.stdout).Encode(findings)
	}
	doctor.Print(env.stdout, findings)
	return nil
}
