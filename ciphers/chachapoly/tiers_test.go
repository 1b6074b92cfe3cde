package chachapoly

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

func TestConformance(t *testing.T) { tiertest.TestConformance(t, tiers()) }

func TestEmptyBurst(t *testing.T) { tiertest.TestEmptyBurst(t, tiers()) }
