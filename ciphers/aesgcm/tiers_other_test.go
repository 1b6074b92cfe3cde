//go:build !amd64 || purego

package aesgcm

import "github.com/sealburst/sealburst/ciphers/internal/tiertest"

func tiers() []tiertest.Tier { return portableTiers() }
