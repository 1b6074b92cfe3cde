//go:build openssl

package openssl

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers/cipherstest"
)

func TestConformance(t *testing.T) { cipherstest.TestBackend(t, Backend()) }
