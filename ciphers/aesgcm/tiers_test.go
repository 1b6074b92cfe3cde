package aesgcm

import (
	"testing"

	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

func portableTiers() []tiertest.Tier {
	return []tiertest.Tier{
		{Name: "aes128-std", Alg: ciphers.AES128GCM, Impl: Std()},
		{Name: "aes192-std", Alg: ciphers.AES192GCM, Impl: Std()},
		{Name: "aes256-std", Alg: ciphers.AES256GCM, Impl: Std()},
	}
}

func TestConformance(t *testing.T) { tiertest.TestConformance(t, tiers()) }

func TestEmptyBurst(t *testing.T) { tiertest.TestEmptyBurst(t, tiers()) }
