//go:build !amd64 || purego

package chachapoly

import (
	"github.com/sealburst/sealburst/ciphers"
	"github.com/sealburst/sealburst/ciphers/internal/tiertest"
)

func tiers() []tiertest.Tier {
	return []tiertest.Tier{{Name: "std", Alg: ciphers.ChaCha20Poly1305, Impl: Std()}}
}
