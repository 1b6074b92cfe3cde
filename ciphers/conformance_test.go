package ciphers_test

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

// TestExampleConforms holds the documentation's backend to the kit.
func TestExampleConforms(t *testing.T) { cipherstest.TestBackend(t, mine()) }
