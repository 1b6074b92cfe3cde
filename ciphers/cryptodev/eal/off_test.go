//go:build !dpdk || !cgo

package eal

import (
	"errors"
	"testing"
)

func TestWithoutDPDK(t *testing.T) {
	if err := Start(nil); !errors.Is(err, ErrUnavailable) {
		t.Errorf("Start: %v", err)
	}
	if _, err := Current(); !errors.Is(err, ErrNotStarted) {
		t.Errorf("Current: %v", err)
	}
	if v := Version(); v != "" {
		t.Errorf("Version: %q", v)
	}
}
