//go:build !linux

package steps

import "time"

var began = time.Now()

// threadTime is the time, also that of others on the same core.
func threadTime() time.Duration { return time.Since(began) }
