package main

import (
	"net/netip"
	"sync"

	"github.com/sealburst/sealburst/engine"
)

// engineForFuzz is one engine for all inputs.
var engineForFuzz = sync.OnceValues(func() (*engine.Engine, error) { return engine.New(engine.Config{}) })

func addrPort(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }
