//go:build !amd64 || purego

package x25519

import "github.com/sealburst/sealburst/ciphers"

func addIFMA(map[string]ciphers.Exchanger) {}
