//go:build !linux

package pin

import "time"

func lastCore() (int, error) { return -1, nil }

func threadTime() time.Time { return time.Now() }

func cores() []int { return nil }

func processTo(int) (func(), error) { return func() {}, nil }
