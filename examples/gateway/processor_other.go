//go:build !linux

package main

// tryProcessor takes any: there is no DPDK whose threads would run there.
func tryProcessor(int) error { return nil }
