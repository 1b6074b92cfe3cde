//go:build !linux || !amd64

package main

import "time"

// Programs meet a far side in shared memory on Linux on amd64 alone.

func (g *gatewayCell) dtls(string, time.Duration) (float64, error) { return 0, errNotHere }

func (g *gatewayCell) espFar(string, time.Duration) (float64, error) { return 0, errNotHere }

func (g *gatewayCell) testpmdFar(time.Duration) (float64, error) { return 0, errNotHere }
