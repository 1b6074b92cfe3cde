package dtlsadapter

import (
	"fmt"
	"slices"

	"github.com/pion/dtls/v2"
	"github.com/sealburst/sealburst/engine"
	"github.com/sealburst/sealburst/record/replay"
)

// minMTU is the shortest fragment that shows random and suite of a ServerHello.
const minMTU = helloPrefix

// plan is a Config that was checked, and what pion is handed in its place.
type plan struct {
	user   *dtls.Config
	suites []*suite // in the user's order
	engine *engine.Engine
}

// newPlan refuses what cannot be carried, before anything is sent.
func newPlan(cfg *dtls.Config, e *engine.Engine) (*plan, error) {
	switch {
	case cfg == nil:
		return nil, &FieldError{"Config", "missing"}
	case e == nil:
		return nil, &FieldError{"Engine", "missing"}
	case cfg.CustomCipherSuites != nil:
		return nil, &FieldError{"CustomCipherSuites", "their records cannot be carried"}
	case cfg.MTU > 0 && cfg.MTU < minMTU:
		return nil, &FieldError{"MTU", fmt.Sprintf("%d bytes, at least %d", cfg.MTU, minMTU)}
	}
	if n := cfg.ReplayProtectionWindow; n > replay.MaxSize {
		return nil, &FieldError{"ReplayProtectionWindow", fmt.Sprintf("%d is above %d", n, replay.MaxSize)}
	}
	if err := e.Err(); err != nil {
		return nil, fmt.Errorf("dtlsadapter: %w", err)
	}
	p := &plan{user: cfg, engine: e}
	wanted := cfg.CipherSuites
	if wanted == nil {
		wanted = Suites()
	}
	for _, id := range wanted {
		s, err := suiteOf(id)
		if err != nil {
			return nil, err
		}
		if !e.Supports(s.algorithm) {
			return nil, fmt.Errorf("%w: no backend of the engine serves %v", &SuiteError{id}, s.algorithm)
		}
		p.suites = append(p.suites, s)
	}
	return p, nil
}

// config makes the Config that pion gets for one connection.
func (p *plan) config(s *secrets) *dtls.Config {
	c := *p.user
	if !s.server {
		checkAddress(&c)
	}
	s.forward = c.KeyLogWriter
	c.KeyLogWriter = s
	c.CipherSuites = []dtls.CipherSuiteID{}
	places := make([]dtls.CipherSuite, len(p.suites))
	for i, id := range p.suites {
		places[i] = &offer{suite: id}
	}
	c.CustomCipherSuites = func() []dtls.CipherSuite {
		list := slices.Clone(places)
		for i, id := range p.suites {
			if id.own() {
				list[i] = &offer{suite: id, engine: p.engine, secrets: s}
			}
		}
		return list
	}
	return &c
}
