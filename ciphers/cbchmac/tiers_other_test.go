//go:build !amd64 || purego

package cbchmac

import "github.com/sealburst/sealburst/ciphers"

func benchTiers(ciphers.Algorithm) []benchTier { return []benchTier{{"std", Std()}} }
