//go:build !linux

package model

import "time"

// processTime is the wall's: there is no portable clock of the processor's.
func processTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
