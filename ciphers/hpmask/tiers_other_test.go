//go:build !amd64 || purego

package hpmask

func tiers() []tier { return portableTiers() }
