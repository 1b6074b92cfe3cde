//go:build !amd64 || purego

package mlkem

import "github.com/sealburst/sealburst/ciphers"

func addAVX512(map[string]ciphers.Exchanger) {}

func addLongAVX512(map[string]longForm) {}
