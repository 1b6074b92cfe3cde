//go:build !amd64 || purego

package aesgcm

func tiers() []tier { return portableTiers() }
